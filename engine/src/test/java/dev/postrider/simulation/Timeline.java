package dev.postrider.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time and the one thread that all simulated threads share. What is due at the same time
 * runs in an order that the seed draws.
 */
final class Timeline {
  static final long MS = 1_000_000;

  private record Entry(
      long at, int tie, long order, @Nullable Task task, int parks, @Nullable Runnable event)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(at, other.at);
      int byTie = byTime != 0 ? byTime : Integer.compare(tie, other.tie);
      return byTie != 0 ? byTie : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Entry> queue = new PriorityQueue<>();
  private final SplittableRandom random;
  private final List<String> faults = new ArrayList<>();
  private long nanos;
  private long entries;
  private long steps;
  private long fingerprint = 17;
  private @Nullable Task current;

  Timeline(SplittableRandom random) {
    this.random = random;
  }

  /** True time since the start of the world, which no simulated clock need agree with. */
  long nanos() {
    return nanos;
  }

  long steps() {
    return steps;
  }

  /** A hash over everything that happened and when: equal for equal runs. */
  long fingerprint() {
    return fingerprint;
  }

  void note(long what) {
    fingerprint = (fingerprint * 31 + what) * 31 + nanos;
  }

  /** What ended threads that should have caught it. */
  List<String> faults() {
    return faults;
  }

  Task current() {
    Task running = current;
    if (running == null) {
      throw new IllegalStateException("no simulated thread is running");
    }
    return running;
  }

  /** Runs something then, on no thread; it must not wait. */
  void at(long when, Runnable event) {
    queue.add(new Entry(Math.max(nanos, when), random.nextInt(), entries++, null, 0, event));
  }

  Task start(@Nullable Host host, Task.Handle handle) {
    Task[] made = new Task[1];
    Coroutine coroutine = new Coroutine(() -> work(made[0]));
    Task task = new Task(handle, host, coroutine);
    made[0] = task;
    handle.task = task;
    schedule(task, nanos);
    return task;
  }

  private void work(Task task) {
    try {
      task.handle.work().run();
    } catch (Throwable fault) {
      faults.add(task.handle.getName() + " ended: " + fault);
    }
    task.done = true;
    task.joiners.forEach(this::unpark);
  }

  private void schedule(Task task, long when) {
    queue.add(new Entry(when, random.nextInt(), entries++, task, task.parks, null));
  }

  /** Lets the running thread wait; for ever if the time is negative. */
  void park(long waitNanos) {
    Task task = current();
    if (task.permit) {
      task.permit = false;
      return;
    }
    task.parks++;
    task.parked = true;
    if (waitNanos >= 0) {
      schedule(task, nanos + waitNanos);
    }
    Coroutine.stop();
  }

  /**
   * Lets time pass for the running thread, even if it is woken meanwhile; not where it cannot stop.
   */
  void pass(long waitNanos) {
    Task task = current();
    if (task.locks > 0) {
      return;
    }
    // Not parked: a wake-up meanwhile is kept for the park that it was meant for.
    task.parks++;
    schedule(task, nanos + waitNanos);
    Coroutine.stop();
  }

  void unpark(Task task) {
    if (task.parked) {
      task.parked = false;
      schedule(task, nanos);
    } else {
      task.permit = true;
    }
  }

  /** Does what is due next; false if nothing ever is. */
  boolean step() {
    Entry next = queue.poll();
    if (next == null) {
      return false;
    }
    steps++;
    nanos = Math.max(nanos, next.at());
    Runnable event = next.event();
    Task task = next.task();
    if (event != null) {
      event.run();
    } else if (task != null && !task.done && task.parks == next.parks()) {
      resume(task);
    }
    return true;
  }

  private void resume(Task task) {
    Host host = task.host;
    if (host != null && host.dead()) {
      return;
    }
    if (host != null && host.frozen()) {
      host.whenThawed(() -> schedule(task, nanos));
      return;
    }
    task.parked = false;
    fingerprint = fingerprint * 31 + task.handle.getName().hashCode() + nanos;
    current = task;
    try {
      task.coroutine.run();
    } finally {
      current = null;
    }
  }
}
