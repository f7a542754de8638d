package dev.postrider.bench.testbed;

import java.io.PrintStream;

/**
 * Prints the current step in one line: updated in place on a terminal, as new lines now and then in
 * a log.
 */
public final class Progress {
  private static final int LOG_EVERY = 10;
  private static final String CLEAR_LINE = "\r\u001b[2K";

  private final PrintStream out;
  private final boolean terminal;
  private String step = "";
  private int ticks;

  public Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  public void step(String text) {
    step = text;
    ticks = 0;
    show("");
  }

  /** Called about once a second. */
  public void tick(String detail) {
    ticks++;
    if (terminal || ticks % LOG_EVERY == 0) {
      show(" · " + detail);
    }
  }

  public void end() {
    if (terminal) {
      out.print(CLEAR_LINE);
      out.flush();
    }
  }

  private void show(String detail) {
    if (terminal) {
      out.print(CLEAR_LINE + step + detail);
      out.flush();
    } else {
      out.println(step + detail);
    }
  }
}
