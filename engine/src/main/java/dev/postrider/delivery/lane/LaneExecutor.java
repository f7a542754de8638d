package dev.postrider.delivery.lane;

import dev.postrider.delivery.lane.Lane.Waiting;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs each attempt on a virtual thread, a few of a lane at once. A burst for one endpoint would
 * otherwise open a connection for each of its deliveries; here the next attempt reuses the thread,
 * and with it the connection, of a finished one. A slow endpoint gets as many concurrent attempts
 * as its cap allows: no attempt waits for longer than two ticks.
 */
public final class LaneExecutor {
  static final int AT_ONCE = 16;
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int PATIENCE_TICKS = 2;

  private final long tickNanos;

  /** Lanes in which attempts wait, each once. */
  private final ConcurrentLinkedQueue<Lane> awaited = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean ticking = new AtomicBoolean();
  private final AtomicInteger ticks = new AtomicInteger();

  public LaneExecutor() {
    this(TICK_NANOS);
  }

  LaneExecutor(long tickNanos) {
    this.tickNanos = tickNanos;
  }

  public void start(Lane lane, Runnable attempt) {
    if (startsNow(lane, attempt)) {
      startThread(lane, attempt);
    } else {
      startTicking();
    }
  }

  private boolean startsNow(Lane lane, Runnable attempt) {
    synchronized (lane) {
      if (lane.running < AT_ONCE) {
        lane.running++;
        return true;
      }
      lane.waiting.add(new Waiting(attempt, ticks.get()));
      if (!lane.awaited) {
        lane.awaited = true;
        awaited.add(lane);
      }
      return false;
    }
  }

  private void startThread(Lane lane, Runnable first) {
    Thread.ofVirtual().start(() -> runFrom(lane, first));
  }

  private void runFrom(Lane lane, Runnable first) {
    Runnable attempt = first;
    while (attempt != null) {
      boolean returned = false;
      try {
        attempt.run();
        returned = true;
      } finally {
        Runnable next = next(lane);
        attempt = next;
        if (!returned && next != null) {
          startThread(lane, next);
        }
      }
    }
  }

  /** The next attempt in place of a finished one; null if none waits. */
  private static @Nullable Runnable next(Lane lane) {
    synchronized (lane) {
      Waiting next = lane.waiting.poll();
      if (next == null) {
        lane.running--;
        return null;
      }
      return next.attempt();
    }
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      Thread.ofVirtual().start(this::tick);
    }
  }

  private void tick() {
    do {
      while (!awaited.isEmpty()) {
        LockSupport.parkNanos(tickNanos);
        ticks.incrementAndGet();
        for (Iterator<Lane> lanes = awaited.iterator(); lanes.hasNext(); ) {
          if (!startOverdue(lanes.next())) {
            lanes.remove();
          }
        }
      }
      ticking.set(false);
    } while (!awaited.isEmpty() && ticking.compareAndSet(false, true));
  }

  /** False if no attempt waits in it any more. */
  private boolean startOverdue(Lane lane) {
    List<Runnable> overdue = new ArrayList<>();
    boolean stillAwaited;
    synchronized (lane) {
      for (Waiting head = lane.waiting.peek();
          head != null && ticks.get() - head.since() >= PATIENCE_TICKS;
          head = lane.waiting.peek()) {
        lane.waiting.poll();
        lane.running++;
        overdue.add(head.attempt());
      }
      stillAwaited = !lane.waiting.isEmpty();
      lane.awaited = stillAwaited;
    }
    overdue.forEach(attempt -> startThread(lane, attempt));
    return stillAwaited;
  }
}
