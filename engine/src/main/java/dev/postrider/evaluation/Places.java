package dev.postrider.evaluation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Divides a fixed number of slots among owners. An owner gets another slot only while it holds less
 * than a quarter of the free ones. So one owner never has more than a few, and an owner without any
 * gets one as long as any is free. Waiting owners are served in turn, not in the order of their
 * calls.
 */
final class Places {
  private static final int SHARE = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Integer> held = new HashMap<>();

  /** In the order of their turns. */
  private final Map<Object, ArrayDeque<CompletableFuture<Void>>> waiting = new LinkedHashMap<>();

  private int free;

  Places(int total) {
    this.free = total;
  }

  /** Waits for a slot; false if none became free in time. */
  boolean take(Object owner, Duration patience) throws InterruptedException {
    CompletableFuture<Void> turn;
    lock.lock();
    try {
      if (!waiting.containsKey(owner) && mayTake(owner)) {
        add(owner);
        return true;
      }
      turn = new CompletableFuture<>();
      waiting.computeIfAbsent(owner, _ -> new ArrayDeque<>()).add(turn);
    } finally {
      lock.unlock();
    }
    try {
      turn.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return !leave(owner, turn);
    } catch (InterruptedException e) {
      if (!leave(owner, turn)) {
        giveBack(owner);
      }
      throw e;
    }
  }

  void giveBack(Object owner) {
    lock.lock();
    try {
      free++;
      held.computeIfPresent(owner, (_, places) -> places == 1 ? null : places - 1);
      while (serveNext()) {}
    } finally {
      lock.unlock();
    }
  }

  int free() {
    lock.lock();
    try {
      return free;
    } finally {
      lock.unlock();
    }
  }

  int waiting() {
    lock.lock();
    try {
      return waiting.values().stream().mapToInt(ArrayDeque::size).sum();
    } finally {
      lock.unlock();
    }
  }

  private boolean mayTake(Object owner) {
    return held.getOrDefault(owner, 0) * SHARE < free;
  }

  private void add(Object owner) {
    free--;
    held.merge(owner, 1, Integer::sum);
  }

  /** Gives a slot to the next owner that may have one, which then moves to the end of the line. */
  private boolean serveNext() {
    Iterator<Map.Entry<Object, ArrayDeque<CompletableFuture<Void>>>> turns =
        waiting.entrySet().iterator();
    while (free > 0 && turns.hasNext()) {
      Map.Entry<Object, ArrayDeque<CompletableFuture<Void>>> next = turns.next();
      Object owner = next.getKey();
      ArrayDeque<CompletableFuture<Void>> line = next.getValue();
      if (mayTake(owner)) {
        add(owner);
        turns.remove();
        line.remove().complete(null);
        if (!line.isEmpty()) {
          waiting.put(owner, line);
        }
        return true;
      }
    }
    return false;
  }

  /** False if the slot was assigned at the last moment. */
  private boolean leave(Object owner, CompletableFuture<Void> turn) {
    lock.lock();
    try {
      ArrayDeque<CompletableFuture<Void>> line = waiting.get(owner);
      boolean left = line != null && line.removeIf(other -> other == turn);
      if (line != null && line.isEmpty()) {
        waiting.remove(owner);
      }
      return left;
    } finally {
      lock.unlock();
    }
  }
}
