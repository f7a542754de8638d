package dev.postrider.cli.terminal;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Detects whether stdout and stderr are interactive terminals.
 *
 * @param out whether stdout does
 * @param err whether stderr does
 */
public record Terminals(BooleanSupplier out, BooleanSupplier err) {
  public static final Terminals NONE = new Terminals(() -> false, () -> false);

  /** Those of this process. */
  public static Terminals ofProcess() {
    return new Terminals(() -> isTerminal(1), () -> isTerminal(2));
  }

  /**
   * Java reports only whether stdin and stdout both are a terminal, but {@code export > file} with
   * a terminal at stderr is the main use of a progress bar; so on Linux this reads /proc first.
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
