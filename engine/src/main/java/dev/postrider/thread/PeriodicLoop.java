package dev.postrider.thread;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A loop on its own thread that does one thing again and again and survives its own faults. */
public final class PeriodicLoop {
  /** One turn of the work; returns how long to wait until the next, in milliseconds. */
  @FunctionalInterface
  public interface Turn {
    long run() throws Exception;
  }

  private static final System.Logger LOG = System.getLogger(PeriodicLoop.class.getName());
  private static final long AFTER_FAULT_MS = 1_000;

  private final String name;
  private final Turn turn;
  private final Thread thread;
  private final long afterFaultMs;
  private volatile boolean stopping;

  public PeriodicLoop(String name, Turn turn) {
    this(name, turn, AFTER_FAULT_MS);
  }

  /**
   * @param afterFaultMs how long to wait after a turn that failed
   */
  public PeriodicLoop(String name, Turn turn, long afterFaultMs) {
    this.name = name;
    this.afterFaultMs = afterFaultMs;
    this.turn = turn;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::loop);
  }

  public void start() {
    thread.start();
  }

  public void wake() {
    LockSupport.unpark(thread);
  }

  /** Ends after the turn under way. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void loop() {
    while (!stopping) {
      long waitMs;
      try {
        waitMs = turn.run();
      } catch (Exception | Error e) {
        // An error too: a heartbeat or a rescuer that ended in silence would be worse.
        if (e instanceof TemporaryFault) {
          LOG.log(Level.DEBUG, "{0} waits: {1}", name, e.getMessage());
        } else {
          LOG.log(Level.ERROR, name + " failed and goes on", e);
        }
        waitMs = afterFaultMs;
      }
      if (!stopping && waitMs > 0) {
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(waitMs));
      }
    }
  }
}
