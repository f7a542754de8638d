package dev.postrider.thread;

import dev.postrider.time.Backoff;
import dev.postrider.time.Waits;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A thread that calls a function repeatedly until it is stopped. The function returns the delay
 * until its next call, in milliseconds; one that takes work from a queue waits in the queue and
 * returns 0. An exception is logged, and the next call follows after a pause.
 */
public final class PeriodicLoop {
  /** The function that the loop calls; returns the delay until the next call, in milliseconds. */
  @FunctionalInterface
  public interface Turn {
    long run() throws Exception;
  }

  /**
   * The options of a loop.
   *
   * @param daemon whether the process may end while the loop runs
   * @param afterFault the delay after a turn that failed
   * @param mayEnd called before each turn once the loop should stop; returns whether no work is
   *     left
   * @param atEnd runs on the thread of the loop after its last turn
   */
  public record Options(
      boolean daemon, Backoff afterFault, BooleanSupplier mayEnd, Runnable atEnd) {
    public static final Options DEFAULT =
        new Options(true, Backoff.ofMillis(1_000, 1_000), () -> true, () -> {});

    /** The process ends after the loop. */
    public Options nonDaemon() {
      return new Options(false, afterFault, mayEnd, atEnd);
    }

    public Options afterFault(Backoff backoff) {
      return new Options(daemon, backoff, mayEnd, atEnd);
    }

    public Options endsWhen(BooleanSupplier nothingLeft) {
      return new Options(daemon, afterFault, nothingLeft, atEnd);
    }

    public Options atEnd(Runnable last) {
      return new Options(daemon, afterFault, mayEnd, last);
    }
  }

  /** Returned from a turn that has nothing to do until the loop is woken. */
  public static final long UNTIL_WOKEN = Long.MAX_VALUE;

  private static final Duration STOP_WITHIN = Duration.ofSeconds(10);
  private static final System.Logger LOG = System.getLogger(PeriodicLoop.class.getName());

  private final String name;
  private final Turn turn;
  private final Options options;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile boolean running;
  private volatile boolean woken;

  public PeriodicLoop(String name, Turn turn) {
    this(name, turn, Options.DEFAULT);
  }

  public PeriodicLoop(String name, Turn turn, Options options) {
    this.name = name;
    this.turn = turn;
    this.options = options;
    this.thread = Thread.ofPlatform().name(name).daemon(options.daemon()).unstarted(this::loop);
  }

  public void start() {
    running = true;
    thread.start();
  }

  /** The next turn begins at once, or after the one under way. Cheap if it is awake already. */
  public void wake() {
    if (!woken) {
      woken = true;
      LockSupport.unpark(thread);
    }
  }

  /** Whether the loop was requested to stop. A long turn checks this now and then. */
  public boolean isStopping() {
    return stopping;
  }

  /** Whether it has been started and has not ended. */
  public boolean isRunning() {
    return running;
  }

  /** Ends after the turn under way, or when nothing is left to be done; does not wait for it. */
  public void requestStop() {
    stopping = true;
    woken = true;
    LockSupport.unpark(thread);
  }

  /** Ends after the turn under way; waits for it, for a while. */
  public void stop() {
    stop(STOP_WITHIN);
  }

  public void stop(Duration within) {
    requestStop();
    try {
      thread.join(Math.max(1, within.toMillis())); // zero would wait without a limit
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void loop() {
    int faults = 0;
    while (!stopping || !options.mayEnd().getAsBoolean()) {
      woken = false;
      long waitMs;
      try {
        waitMs = turn.run();
        faults = 0;
      } catch (Exception | Error e) {
        // An error too: a heartbeat or a rescuer that ended in silence would be worse.
        faults++;
        log(e);
        waitMs = options.afterFault().delayMs(faults);
        woken = false; // a loop that fails at each wake must not spin
      }
      if (waitMs > 0) {
        Waits.await(this, waitMs, this::isWoken);
      }
    }
    try {
      options.atEnd().run();
    } finally {
      running = false;
    }
  }

  private boolean isWoken() {
    return woken || stopping;
  }

  private void log(Throwable fault) {
    if (fault instanceof TemporaryFault) {
      LOG.log(Level.DEBUG, "{0} waits: {1}", name, fault.getMessage());
    } else {
      LOG.log(Level.ERROR, name + " failed and will run again", fault);
    }
  }
}
