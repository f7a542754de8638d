package dev.postrider.testkit;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.delivery.StatusChange;
import dev.postrider.id.Id;
import dev.postrider.storage.DatabaseUnavailable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Wakes a test that waits for a condition whenever something has happened: engines, receivers and
 * live feeds of the test signal here. What happens without a signal is noticed too: the test also
 * looks again after pauses, which get longer while nothing happens.
 */
public final class Signals implements DeliveryListener {
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);

  /** Also the time between two looks while signals come one after the other. */
  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition signaled = lock.newCondition();
  private long count;

  /** Something has happened. */
  public void signal() {
    lock.lock();
    try {
      count++;
      signaled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the condition holds; fails after 60 s. */
  public void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT;
    long pause = SHORTEST_PAUSE;
    while (true) {
      long seen = count();
      long looked = System.nanoTime();
      if (holds(condition)) {
        return;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within 60 s: " + what);
      }
      pause = await(seen, looked, pause) ? SHORTEST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  /** The same for a condition that nothing signals. */
  public static void poll(String what, BooleanSupplier condition) {
    new Signals().await(what, condition);
  }

  private static boolean holds(BooleanSupplier condition) {
    try {
      return condition.getAsBoolean();
    } catch (DatabaseUnavailable e) {
      return false; // tests take it away; the next look may succeed
    }
  }

  private long count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Whether something has happened since that count, before the pause was over. */
  private boolean await(long seen, long looked, long pause) {
    lock.lock();
    try {
      long end = System.nanoTime() + pause;
      long left = pause;
      while (count == seen && left > 0) {
        signaled.awaitNanos(left);
        left = end - System.nanoTime();
      }
      boolean happened = count != seen;
      long tooSoon = looked + SHORTEST_PAUSE - System.nanoTime();
      while (tooSoon > 0) {
        signaled.awaitNanos(tooSoon);
        tooSoon = looked + SHORTEST_PAUSE - System.nanoTime();
      }
      return happened;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {
    signal();
  }

  @Override
  public void finished(Outcome outcome, Finish finish) {
    signal();
  }

  @Override
  public void queueEnded(QueueEnd end) {
    signal();
  }

  @Override
  public void leaseLost(Outcome outcome) {
    signal();
  }

  @Override
  public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
    signal();
  }

  @Override
  public void circuitClosed(Id applicationId, Id laneId) {
    signal();
  }

  @Override
  public void rescued(LeaseRef lease) {
    signal();
  }

  @Override
  public void statusChanged(StatusChange change) {
    signal();
  }
}
