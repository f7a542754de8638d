package dev.postrider.cli.terminal;

import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/**
 * Progress of long work, on stderr of an interactive terminal: a bar if the total is known, else a
 * spinner, a count and a rate. Never in addition to JSON output, and erased when the work is done.
 */
public final class Progress implements AutoCloseable {
  private static final int WIDTH = 30;
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Before that, a rate is not meaningful. */
  private static final long PACE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final String SPINNER = "|/-\\";

  private final PrintWriter err;
  private final boolean watched;
  private final String what;
  private final long total;
  private final TimeSource time;
  private final long beganNanos;
  private long drawnNanos;
  private int draws;
  private int shown;

  private Progress(Terminal terminal, String what, long total, boolean watched, TimeSource time) {
    this.err = terminal.err();
    this.what = what;
    this.total = total;
    this.watched = watched;
    this.time = time;
    this.beganNanos = time.nanos();
  }

  /** Work without a known total. */
  public static Progress counting(Terminal terminal, String what) {
    return of(terminal, what, 0);
  }

  public static Progress of(Terminal terminal, String what, long total) {
    return of(terminal, what, total, new SystemTime());
  }

  /**
   * @param total 0 if it is not known
   */
  static Progress of(Terminal terminal, String what, long total, TimeSource time) {
    boolean watched = !terminal.json() && terminal.screens().err().getAsBoolean();
    return new Progress(terminal, what, total, watched, time).begun();
  }

  /** For work that writes its output meanwhile, which must not mix with the bar. */
  public static Progress withOutput(Terminal terminal, String what, long total) {
    boolean watched =
        !terminal.json()
            && terminal.screens().err().getAsBoolean()
            && !terminal.screens().out().getAsBoolean();
    return new Progress(terminal, what, total, watched, new SystemTime()).begun();
  }

  private Progress begun() {
    step(0);
    return this;
  }

  /** This many items are done. */
  public void step(long count) {
    long now = watched ? time.nanos() : 0;
    if (!watched || (draws > 0 && now - drawnNanos < EVERY_NANOS)) {
      return;
    }
    drawnNanos = now;
    String text = total > 0 ? bar(count) : count(count, now - beganNanos);
    draws++;
    err.print("\r" + text + " ".repeat(Math.max(0, shown - text.length())));
    err.flush();
    shown = text.length();
  }

  private String bar(long count) {
    double part = Math.min(1, (double) count / total);
    int full = (int) (part * WIDTH);
    return "%s [%s%s] %3d%% %d of %d"
        .formatted(
            what, "#".repeat(full), " ".repeat(WIDTH - full), (int) (part * 100), count, total);
  }

  private String count(long count, long nanos) {
    String text = "%s %s: %d".formatted(SPINNER.charAt(draws % SPINNER.length()), what, count);
    return nanos < PACE_AFTER_NANOS
        ? text
        : text + ", %d per second".formatted(Math.round(count * 1e9 / nanos));
  }

  /** Erases the bar before a line is printed. */
  public void clear() {
    if (shown > 0) {
      err.print("\r" + " ".repeat(shown) + "\r");
      err.flush();
      shown = 0;
    }
  }

  @Override
  public void close() {
    clear();
  }
}
