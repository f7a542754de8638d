package dev.postrider.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Whether a person looks at what is written.
 *
 * @param out at the answer
 * @param err at everything beside it
 */
public record Terminals(BooleanSupplier out, BooleanSupplier err) {
  public static final Terminals NONE = new Terminals(() -> false, () -> false);

  /** Those of this process. */
  public static Terminals ofProcess() {
    return new Terminals(() -> isTerminal(1), () -> isTerminal(2));
  }

  /**
   * Java knows only whether input and output both are a terminal, and {@code export > file} with a
   * person at stderr is the very case for a bar; so Linux is asked first.
   */
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException _) {
      return isConsole();
    }
  }

  @SuppressWarnings("SystemConsoleNull") // it is null with -Djdk.console=java.base
  private static boolean isConsole() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
