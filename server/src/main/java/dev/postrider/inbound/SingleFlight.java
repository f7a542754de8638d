package dev.postrider.inbound;

import dev.postrider.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs one lookup for all concurrent callers. Each caller gets the result of a lookup that started
 * after its call, so it sees everything committed before the call; lookups start {@link
 * #PAUSE_NANOS} apart, so they cost at most fifty lookups per second for any number of callers.
 */
final class SingleFlight {
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Runnable look;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Condition pausing = lock.newCondition();
  private long started;
  private long startedAtNanos;
  private long finished;
  private boolean led;
  private @Nullable RuntimeException failure;

  SingleFlight(Runnable look, TimeSource time) {
    this.look = look;
    this.time = time;
  }

  /**
   * Returns after a lookup that started after this call.
   *
   * @throws RuntimeException the exception of the lookup, for all callers that waited for it
   */
  void take() {
    lock.lock();
    try {
      long mine = started + 1;
      while (finished < mine) {
        if (led) {
          ended.awaitUninterruptibly();
        } else {
          lead();
        }
      }
      if (failure != null) {
        throw failure;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Callers that arrive during the pause share this lookup; callers that arrive while it runs share
   * the next one.
   */
  private void lead() {
    led = true;
    try {
      pause();
      started++;
      startedAtNanos = time.nanos();
      failure = looked();
      finished = started;
    } finally {
      led = false;
      ended.signalAll();
    }
  }

  private void pause() {
    long left = started == 0 ? 0 : PAUSE_NANOS - (time.nanos() - startedAtNanos);
    try {
      while (left > 0) {
        left = pausing.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // without a pause this time
    }
  }

  private @Nullable RuntimeException looked() {
    lock.unlock();
    try {
      look.run();
      return null;
    } catch (RuntimeException e) {
      return e;
    } finally {
      lock.lock();
    }
  }
}
