package dev.postrider.cli;

import java.io.Console;
import java.io.PrintWriter;

/** A bar on stderr while long work goes on; silent if nobody watches. */
final class Progress {
  private static final int WIDTH = 30;
  private static final int EVERY = 50;

  private final PrintWriter err;
  private final boolean watched;
  private final String what;
  private int shown;

  Progress(Terminal terminal, String what) {
    this.err = terminal.err();
    this.watched = !terminal.json() && isWatched();
    this.what = what;
  }

  @SuppressWarnings("SystemConsoleNull") // it is null with -Djdk.console=java.base
  private static boolean isWatched() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /**
   * @param part of the whole, from 0 to 1; below 0 if the whole is not known
   */
  void step(long count, double part) {
    if (count % EVERY == 0) {
      show(count, part);
    }
  }

  /** The same, whatever the count. */
  void show(long count, double part) {
    if (!watched) {
      return;
    }
    err.print("\r" + text(what, count, part));
    err.flush();
    shown++;
  }

  static String text(String what, long count, double part) {
    if (part < 0) {
      return "%s: %d".formatted(what, count);
    }
    int full = (int) Math.round(Math.min(1, part) * WIDTH);
    return "%s: %d [%s%s] %d%%"
        .formatted(
            what,
            count,
            "#".repeat(full),
            " ".repeat(WIDTH - full),
            Math.round(Math.min(1, part) * 100));
  }

  void end() {
    if (shown > 0) {
      err.print("\r" + " ".repeat(WIDTH + 50) + "\r");
      err.flush();
    }
  }
}
