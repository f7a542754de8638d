package dev.postrider.bench.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builds the command lines of child JVMs. */
public final class Jvm {
  private Jvm() {}

  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /**
   * A JVM with this one's class path: the jar itself when packaged, the module's classes in tests.
   */
  public static List<String> sameClasses(List<String> flags, String mainClass, List<String> args) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    command.addAll(args);
    return command;
  }

  public static List<String> jar(List<String> flags, Path jar, List<String> args) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(flags);
    command.add("-jar");
    command.add(jar.toString());
    command.addAll(args);
    return command;
  }
}
