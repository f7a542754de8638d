package dev.postrider.inbound;

import dev.postrider.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One look for all who ask for it meanwhile. Each caller gets a look that started after its call,
 * so what was there before the call is seen; looks start {@link #PAUSE_NANOS} apart, so however
 * many ask, they cost at most fifty looks a second.
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
   * Returns after a look that started after this call.
   *
   * @throws RuntimeException what the last look has thrown, to all who waited for it
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

  /** Who comes while this one pauses shares its look; who comes while it looks, the next. */
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
      Thread.currentThread().interrupt(); // this once without a pause
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
