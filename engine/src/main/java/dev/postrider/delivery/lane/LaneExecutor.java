package dev.postrider.delivery.lane;

import dev.postrider.delivery.Leased;
import dev.postrider.id.Id;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
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

  private record Waiting(Leased leased, int since) {}

  /**
   * The running and waiting attempts of one lane. Changed only inside the atomic methods of the
   * map.
   */
  private static final class Lane {
    private int running;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
  }

  private final Consumer<Leased> run;
  private final long tickNanos;
  private final ConcurrentHashMap<Id, Lane> lanes = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final AtomicInteger ticks = new AtomicInteger();

  public LaneExecutor(Consumer<Leased> run) {
    this(run, TICK_NANOS);
  }

  LaneExecutor(Consumer<Leased> run, long tickNanos) {
    this.run = run;
    this.tickNanos = tickNanos;
  }

  public void start(Leased leased) {
    boolean[] now = new boolean[1];
    lanes.compute(
        leased.laneId(),
        (id, known) -> {
          Lane lane = known == null ? new Lane() : known;
          if (lane.running < AT_ONCE) {
            lane.running++;
            now[0] = true;
          } else {
            lane.waiting.add(new Waiting(leased, ticks.get()));
            waiting.incrementAndGet();
          }
          return lane;
        });
    if (now[0]) {
      startThread(leased);
    } else {
      startTicking();
    }
  }

  private void startThread(Leased first) {
    Thread.ofVirtual().start(() -> runFrom(first));
  }

  private void runFrom(Leased first) {
    Leased leased = first;
    while (leased != null) {
      boolean returned = false;
      try {
        run.accept(leased);
        returned = true;
      } finally {
        Leased next = next(leased.laneId());
        leased = next;
        if (!returned && next != null) {
          startThread(next);
        }
      }
    }
  }

  /** The next attempt in place of a finished one; null if none waits. */
  private @Nullable Leased next(Id laneId) {
    Waiting[] next = new Waiting[1];
    lanes.computeIfPresent(
        laneId,
        (id, lane) -> {
          next[0] = lane.waiting.poll();
          if (next[0] == null) {
            lane.running--;
          } else {
            waiting.decrementAndGet();
          }
          return lane.running == 0 ? null : lane;
        });
    return next[0] == null ? null : next[0].leased();
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      Thread.ofVirtual().start(this::tick);
    }
  }

  private void tick() {
    do {
      while (waiting.get() > 0) {
        LockSupport.parkNanos(tickNanos);
        ticks.incrementAndGet();
        lanes.keySet().forEach(this::startOverdue);
      }
      ticking.set(false);
    } while (waiting.get() > 0 && ticking.compareAndSet(false, true));
  }

  private void startOverdue(Id laneId) {
    List<Leased> overdue = new ArrayList<>();
    lanes.computeIfPresent(
        laneId,
        (id, lane) -> {
          for (Waiting head = lane.waiting.peek();
              head != null && ticks.get() - head.since() >= PATIENCE_TICKS;
              head = lane.waiting.peek()) {
            lane.waiting.poll();
            waiting.decrementAndGet();
            lane.running++;
            overdue.add(head.leased());
          }
          return lane;
        });
    overdue.forEach(this::startThread);
  }
}
