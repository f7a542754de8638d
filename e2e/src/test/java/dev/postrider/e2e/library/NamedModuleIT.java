package dev.postrider.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Modules under {@code src/module} use the engine's jar as a program of another project would. */
@Execution(ExecutionMode.CONCURRENT)
class NamedModuleIT {
  private static final Path SOURCES = Path.of(System.getProperty("basedir", "."), "src/module");

  @TempDir Path folder;

  @Test
  void aNamedModuleSendsAndReceives() throws Exception {
    Path classes = folder.resolve("classes");
    assertThat(compile("example.shop", classes)).isEmpty();
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    Process shop =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                modulePath() + File.pathSeparator + classes,
                "--enable-native-access=org.xerial.sqlitejdbc",
                "--module",
                "example.shop/example.shop.Shop",
                folder.resolve("data").toString())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertThat(shop.waitFor(90, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      shop.destroyForcibly();
    }
    assertThat(shop.exitValue()).as(Files.readString(errors)).isZero();
    assertThat(Files.readAllLines(output)).containsExactly("received {\"order\":17}");
  }

  @Test
  void internalPackagesAreNotVisible() throws Exception {
    assertThat(compile("example.internal", folder.resolve("classes")))
        .contains("package dev.postrider.storage is not visible")
        .contains("does not export it to module example.internal")
        .contains("1 error");
  }

  /** Compiles a module; returns what the compiler reports. */
  private static String compile(String module, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter report = new StringWriter();
    try (StandardJavaFileManager files =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        Stream<Path> found = Files.walk(SOURCES.resolve(module))) {
      List<Path> sources = found.filter(file -> file.toString().endsWith(".java")).toList();
      boolean compiled =
          compiler
              .getTask(
                  report,
                  files,
                  null,
                  options(classes),
                  null,
                  files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertThat(compiled).as(report.toString()).isEqualTo(report.toString().isEmpty());
    }
    return report.toString();
  }

  /** With a class path of its own: the default is that of this JVM, which has the engine on it. */
  private static List<String> options(Path classes) throws IOException {
    return List.of(
        "--module-path",
        modulePath(),
        "--class-path",
        classes.toString(),
        "-d",
        classes.toString());
  }

  /** The engine's jar and its libraries. */
  private static String modulePath() throws IOException {
    return System.getProperty("engine.jar")
        + File.pathSeparator
        + Files.readString(Path.of(System.getProperty("engine.libraries"))).strip();
  }
}
