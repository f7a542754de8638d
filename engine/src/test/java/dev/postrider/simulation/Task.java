package dev.postrider.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One simulated thread. */
final class Task {
  /** The thread object that the engine holds; it is never started, only named and woken. */
  static final class Handle extends Thread {
    private final Runnable work;
    @Nullable Task task;

    Handle(String name, Runnable work) {
      super(null, null, name, 0, false);
      this.work = work;
    }

    Runnable work() {
      return work;
    }
  }

  final Handle handle;

  /** Where it runs; null for the world outside: callers, faults, the judge. */
  final @Nullable Host host;

  final Coroutine coroutine;
  final List<Task> joiners = new ArrayList<>();
  boolean parked;
  boolean permit;
  boolean done;

  /**
   * Locks held: a thread that holds one is not interrupted by another, so none is ever waited for.
   */
  int locks;

  /** Counts the parks, so that a timer of an earlier park wakes nobody. */
  int parks;

  Task(Handle handle, @Nullable Host host, Coroutine coroutine) {
    this.handle = handle;
    this.host = host;
    this.coroutine = coroutine;
  }
}
