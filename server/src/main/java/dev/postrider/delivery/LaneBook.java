package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which lanes have waiting deliveries, and when to look at each: this instance's memory, filled by
 * its own writes and by sweeps over the due index, so that a claim asks only lanes that may have
 * something and parked lanes cost nothing. Losing an entry delays a lane until the next sweep,
 * never for ever.
 */
public final class LaneBook {
  /**
   * A lane's entry; each change is a new object, so a reader can tell whether it has been touched
   * since. A parked lane is not looked at before its time, whatever arrives meanwhile.
   */
  public static final class Entry {
    private final long lookAtMs;
    private final boolean parked;

    Entry(long lookAtMs, boolean parked) {
      this.lookAtMs = lookAtMs;
      this.parked = parked;
    }

    public long lookAtMs() {
      return lookAtMs;
    }

    public boolean parked() {
      return parked;
    }

    private Entry unparked(Entry at) {
      return new Entry(parked ? at.lookAtMs : Math.min(lookAtMs, at.lookAtMs), false);
    }

    private Entry or(Entry added) {
      boolean keep = parked || lookAtMs <= added.lookAtMs;
      return new Entry(keep ? lookAtMs : added.lookAtMs, keep && parked);
    }
  }

  private final ConcurrentSkipListMap<Id, Entry> entries = new ConcurrentSkipListMap<>();
  private volatile @Nullable Runnable onWork;

  /** Called whenever a lane may have work earlier than was known. */
  public void onWork(Runnable listener) {
    onWork = listener;
  }

  /** Something waits in this lane, due at that time; returns the lane's entry. */
  public Entry add(Id lane, long dueMs) {
    Entry before = entries.get(lane);
    Entry after = entries.merge(lane, new Entry(dueMs, false), Entry::or);
    if (before == null || after.lookAtMs() < before.lookAtMs()) {
      signal();
    }
    return after;
  }

  /**
   * The lane's gate has opened, or opens then: look at it at that time even if it was parked, or
   * sooner if something is due.
   */
  public void unpark(Id lane, long atMs) {
    entries.merge(lane, new Entry(atMs, false), Entry::unparked);
    signal();
  }

  /** A place has become free in this lane. */
  public void roomIn(Id lane) {
    if (entries.containsKey(lane)) {
      signal();
    }
  }

  private void signal() {
    Runnable listener = onWork;
    if (listener != null) {
      listener.run();
    }
  }

  /**
   * Whether deliveries wait here that should go first: then the claimer owns the lane's places, and
   * none is claimed at birth. A retry that is due in an hour is none of them.
   */
  public boolean hasBacklog(Id lane, long nowMs) {
    Entry entry = entries.get(lane);
    return entry != null && (entry.parked() || entry.lookAtMs() <= nowMs);
  }

  public @Nullable Entry entry(Id lane) {
    return entries.get(lane);
  }

  /** Look again then, unless the entry was touched meanwhile. */
  public void lookAgain(Id lane, Entry seen, long atMs, boolean parked) {
    entries.replace(lane, seen, new Entry(atMs, parked));
  }

  /** Nothing waits in this lane, unless the entry was touched meanwhile. */
  public void forget(Id lane, Entry seen) {
    entries.remove(lane, seen);
  }

  /** Lanes to look at now, from the one after the last served and around. */
  public List<Map.Entry<Id, Entry>> due(Id after, long nowMs, int limit, Predicate<Id> wanted) {
    List<Map.Entry<Id, Entry>> due = new ArrayList<>();
    collect(entries.tailMap(after, false), nowMs, limit, wanted, due);
    collect(entries.headMap(after, true), nowMs, limit, wanted, due);
    return due;
  }

  private static void collect(
      NavigableMap<Id, Entry> part,
      long nowMs,
      int limit,
      Predicate<Id> wanted,
      List<Map.Entry<Id, Entry>> due) {
    for (Map.Entry<Id, Entry> entry : part.entrySet()) {
      if (due.size() >= limit) {
        return;
      }
      if (entry.getValue().lookAtMs() <= nowMs && wanted.test(entry.getKey())) {
        due.add(Map.entry(entry.getKey(), entry.getValue()));
      }
    }
  }

  /** When the next lane wants to be looked at; {@link Long#MAX_VALUE} if none does. */
  public long nextLookMs(Predicate<Id> wanted) {
    long next = Long.MAX_VALUE;
    for (Map.Entry<Id, Entry> entry : entries.entrySet()) {
      if (entry.getValue().lookAtMs() < next && wanted.test(entry.getKey())) {
        next = entry.getValue().lookAtMs();
      }
    }
    return next;
  }

  public int size() {
    return entries.size();
  }
}
