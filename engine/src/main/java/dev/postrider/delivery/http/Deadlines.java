package dev.postrider.delivery.http;

import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.ModalCloseable;
import org.jspecify.annotations.Nullable;

/**
 * The total deadlines of all attempts in progress, watched by one thread. The attempts are scanned
 * at a fixed interval instead of being sorted: arming and disarming happen for every attempt, but
 * few deadlines pass.
 */
final class Deadlines implements AutoCloseable {
  private static final long BEAT_MS = 20;

  private final TimeSource time;
  private final Set<Deadline> armed = ConcurrentHashMap.newKeySet();
  private final PeriodicLoop watcher =
      new PeriodicLoop(
          "http-deadlines",
          this::watch,
          PeriodicLoop.Options.DEFAULT.afterFault(Backoff.ofMillis(BEAT_MS, BEAT_MS)));
  private volatile boolean idle;

  Deadlines(TimeSource time) {
    this.time = time;
  }

  void start() {
    watcher.start();
  }

  @Override
  public void close() {
    watcher.requestStop();
  }

  /** Arms a deadline for the calling thread. */
  Deadline arm(Duration left) {
    Deadline deadline = new Deadline(time.nanos() + left.toNanos(), Thread.currentThread());
    armed.add(deadline);
    if (idle) {
      watcher.wake();
    }
    return deadline;
  }

  /**
   * Disarms a deadline. The caller that gets true owns the connection: it will not be closed any
   * more.
   *
   * @return false if the deadline has passed and the connection was closed
   */
  boolean disarm(Deadline deadline) {
    armed.remove(deadline);
    return deadline.end();
  }

  private long watch() {
    if (armed.isEmpty()) {
      idle = true;
      // Armed between the two checks: the thread that armed it may not have seen the flag.
      if (armed.isEmpty()) {
        return PeriodicLoop.UNTIL_WOKEN;
      }
    }
    idle = false;
    long now = time.nanos();
    for (Deadline deadline : armed) {
      if (now - deadline.atNanos >= 0) {
        deadline.pass(); // the thread that armed it removes it from the set
      }
    }
    return BEAT_MS;
  }

  /**
   * The deadline of one attempt. When it passes, the connection is closed and the thread
   * interrupted.
   */
  static final class Deadline {
    private enum State {
      ARMED,
      ENDED,
      PASSED
    }

    final long atNanos;
    private final Thread thread;
    private State state = State.ARMED;
    private @Nullable ModalCloseable connection;

    private Deadline(long atNanos, Thread thread) {
      this.atNanos = atNanos;
      this.thread = thread;
    }

    /** Sets what must be closed when the deadline passes. */
    synchronized void covers(ModalCloseable leased) {
      connection = leased;
      if (state == State.PASSED) {
        leased.close(CloseMode.IMMEDIATE);
      }
    }

    /**
     * Under the lock, so that a thread which saw its deadline passed has been interrupted already.
     */
    private synchronized void pass() {
      if (state != State.ARMED) {
        return;
      }
      state = State.PASSED;
      if (connection != null) {
        connection.close(CloseMode.IMMEDIATE);
      }
      thread.interrupt();
    }

    private synchronized boolean end() {
      if (state == State.ARMED) {
        state = State.ENDED;
      }
      return state == State.ENDED;
    }
  }
}
