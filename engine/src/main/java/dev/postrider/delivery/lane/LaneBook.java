package dev.postrider.delivery.lane;

import dev.postrider.delivery.lane.LaneRoom.Allowance;
import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the lanes that have pending deliveries, with the time at which to check each. It is
 * filled by the writes of this instance and by sweeps over the due index, so that a claim reads
 * only lanes that may have due deliveries and lanes with an open circuit cost nothing. A lost entry
 * delays a lane until the next sweep at most.
 *
 * <p>Due lanes wait in queues of their application, and applications take turns: ten thousand lanes
 * of one of them delay a lane of another by one turn (engine rule 14c). A lane that is full leaves
 * its queue until one of its attempts ends.
 */
public final class LaneBook {
  /** Maximum number of lanes of one application in a round while others wait too. */
  static final int LANES_PER_TURN = 8;

  /** Of these, how many are slow if both kinds wait. */
  private static final int SLOW_PER_TURN = 2;

  /** Lanes of the other kind that a turn may skip in a queue before it gives up. */
  private static final int MISPLACED_PER_TURN = 64;

  /**
   * A snapshot of the entry of a lane. {@link #lookAgain} and {@link #forget} change nothing if the
   * entry has changed since the snapshot. A parked lane is not checked before its time, even if
   * deliveries arrive.
   */
  public record Look(Id applicationId, Id laneId, long lookAtMs, boolean parked, long touched) {}

  private enum Place {
    LATER,
    DUE,
    FULL
  }

  private static final class Entry {
    private final Id applicationId;
    private final Id laneId;
    private long lookAtMs;
    private boolean parked;
    private long touched;
    private Place place = Place.LATER;
    private boolean queuedAsSlow;

    private Entry(Id applicationId, Id laneId, long lookAtMs) {
      this.applicationId = applicationId;
      this.laneId = laneId;
      this.lookAtMs = lookAtMs;
    }

    private Look look() {
      return new Look(applicationId, laneId, lookAtMs, parked, touched);
    }
  }

  /** The due lanes of one application, each kind in the order in which they are served. */
  private static final class Turn {
    private final LinkedHashSet<Entry> quick = new LinkedHashSet<>();
    private final LinkedHashSet<Entry> slow = new LinkedHashSet<>();

    private SequencedSet<Entry> of(boolean slowOnes) {
      return slowOnes ? slow : quick;
    }
  }

  private final Map<Id, Entry> entries = new HashMap<>();

  private final TreeSet<Entry> later =
      new TreeSet<>(
          Comparator.<Entry>comparingLong(entry -> entry.lookAtMs)
              .thenComparing(entry -> entry.laneId));

  /** Applications with due lanes; the first has waited longest. */
  private final LinkedHashMap<Id, Turn> turns = new LinkedHashMap<>();

  private long touches;
  private volatile @Nullable Runnable onWork;

  /** Called whenever a lane may have work earlier than known before. */
  public void onWork(Runnable listener) {
    onWork = listener;
  }

  /** A delivery is pending in this lane, due at that time; returns the entry of the lane. */
  public Look add(Id applicationId, Id laneId, long dueMs) {
    Look after;
    boolean earlier;
    synchronized (this) {
      Entry known = entries.get(laneId);
      earlier =
          known == null || (known.place == Place.LATER && !known.parked && dueMs < known.lookAtMs);
      if (known == null) {
        known = new Entry(applicationId, laneId, dueMs);
        entries.put(laneId, known);
        later.add(known);
      } else if (earlier) {
        move(known, dueMs, false);
      }
      known.touched = ++touches;
      after = known.look();
    }
    if (earlier) {
      signal();
    }
    return after;
  }

  /**
   * The gate of the lane has opened, or opens then: check it at that time even if it was parked, or
   * sooner if a delivery is due.
   */
  public void unpark(Id applicationId, Id laneId, long atMs) {
    synchronized (this) {
      Entry known = entries.get(laneId);
      if (known == null) {
        add(applicationId, laneId, atMs);
      } else {
        if (known.place != Place.DUE) {
          move(known, known.parked ? atMs : Math.min(known.lookAtMs, atMs), false);
        }
        known.touched = ++touches;
      }
    }
    signal();
  }

  /** A slot has become free in this lane. */
  public void roomIn(Id laneId) {
    synchronized (this) {
      Entry known = entries.get(laneId);
      if (known == null) {
        return;
      }
      if (known.place == Place.FULL) {
        move(known, known.lookAtMs, known.parked);
      }
    }
    signal();
  }

  private void signal() {
    Runnable listener = onWork;
    if (listener != null) {
      listener.run();
    }
  }

  /** Removes the entry from its queue until that time. */
  private void move(Entry entry, long lookAtMs, boolean parked) {
    leave(entry);
    entry.lookAtMs = lookAtMs;
    entry.parked = parked;
    entry.place = Place.LATER;
    later.add(entry);
  }

  private void leave(Entry entry) {
    switch (entry.place) {
      case LATER -> later.remove(entry);
      case DUE -> {
        Turn turn = turns.get(takesTurnsAs(entry));
        if (turn != null) {
          turn.of(entry.queuedAsSlow).remove(entry);
          if (turn.quick.isEmpty() && turn.slow.isEmpty()) {
            turns.remove(takesTurnsAs(entry));
          }
        }
      }
      case FULL -> {}
    }
  }

  /**
   * Whether deliveries are pending here that should go first: then the claimer owns the slots of
   * the lane, and no delivery is leased at insert. A retry that is due in an hour does not count.
   */
  public synchronized boolean hasBacklog(Id laneId, long nowMs) {
    Entry entry = entries.get(laneId);
    return entry != null && (entry.parked || entry.place != Place.LATER || entry.lookAtMs <= nowMs);
  }

  public synchronized @Nullable Look look(Id laneId) {
    Entry entry = entries.get(laneId);
    return entry == null ? null : entry.look();
  }

  /** Check again then, unless the entry has changed meanwhile. */
  public synchronized void lookAgain(Look seen, long atMs, boolean parked) {
    Entry entry = untouched(seen);
    if (entry != null) {
      move(entry, atMs, parked);
    }
  }

  /** Nothing is pending in this lane, unless the entry has changed meanwhile. */
  public synchronized void forget(Look seen) {
    Entry entry = untouched(seen);
    if (entry != null) {
      leave(entry);
      entries.remove(entry.laneId);
    }
  }

  private @Nullable Entry untouched(Look seen) {
    Entry entry = entries.get(seen.laneId());
    return entry != null && entry.touched == seen.touched() ? entry : null;
  }

  /** The lane is full: it is due again after a call of {@link #roomIn}. */
  public synchronized void full(Id laneId) {
    Entry entry = entries.get(laneId);
    if (entry != null && entry.place == Place.DUE) {
      leave(entry);
      entry.place = Place.FULL;
    }
  }

  /** Full lanes are checked again, in case a free slot was not reported. */
  public synchronized void lookAtFullOnes() {
    for (Entry entry : entries.values()) {
      if (entry.place == Place.FULL) {
        move(entry, entry.lookAtMs, entry.parked);
      }
    }
  }

  /**
   * Lanes to check now. Applications take turns, with a few lanes each if others wait as well. A
   * turn ends with {@link #served}, so that an application that got no slot keeps its turn.
   */
  public synchronized List<Look> due(long nowMs, int limit, LaneRoom room) {
    queueDue(nowMs, room);
    List<Look> due = new ArrayList<>();
    int perTurn = turns.isEmpty() ? 0 : Math.max(LANES_PER_TURN, limit / turns.size());
    for (Id applicationId : List.copyOf(turns.keySet())) {
      Allowance allowance = due.size() >= limit ? Allowance.NOTHING : room.allowance(applicationId);
      Turn turn = turns.get(applicationId);
      if (allowance != Allowance.NOTHING && turn != null) {
        serve(turn, allowance, Math.min(perTurn, limit - due.size()), room, due);
      }
    }
    return due;
  }

  /** The lane has had its turn, and so has its application. */
  public synchronized void served(Id laneId) {
    Entry entry = entries.get(laneId);
    Turn turn = entry == null ? null : turns.get(takesTurnsAs(entry));
    if (entry != null && turn != null && entry.place == Place.DUE) {
      turn.of(entry.queuedAsSlow).addLast(entry);
      turns.putLast(takesTurnsAs(entry), turn);
    }
  }

  /** Who takes turns: the applications, not the lanes. */
  private static Id takesTurnsAs(Entry entry) {
    return entry.applicationId;
  }

  private void queueDue(long nowMs, LaneRoom room) {
    while (!later.isEmpty() && later.getFirst().lookAtMs <= nowMs) {
      Entry entry = later.removeFirst();
      // It is due: from now on new deliveries do not change when it is checked.
      entry.parked = false;
      entry.place = Place.DUE;
      entry.queuedAsSlow = room.isSlow(entry.laneId);
      turns.computeIfAbsent(takesTurnsAs(entry), _ -> new Turn()).of(entry.queuedAsSlow).add(entry);
    }
  }

  private static void serve(
      Turn turn, Allowance allowance, int lanes, LaneRoom room, List<Look> due) {
    boolean slowToo = allowance == Allowance.ALL_LANES;
    int kept = slowToo ? Math.min(SLOW_PER_TURN, turn.slow.size()) : 0;
    int before = due.size();
    poll(turn, false, lanes - kept, room, due);
    if (slowToo) {
      poll(turn, true, lanes - (due.size() - before), room, due);
    }
  }

  private static void poll(Turn turn, boolean slow, int lanes, LaneRoom room, List<Look> due) {
    int until = due.size() + lanes;
    List<Entry> misplaced = new ArrayList<>();
    for (Entry entry : turn.of(slow)) {
      if (due.size() >= until || misplaced.size() >= MISPLACED_PER_TURN) {
        break;
      }
      if (room.isSlow(entry.laneId) == slow) {
        due.add(entry.look());
      } else {
        misplaced.add(entry);
      }
    }
    for (Entry entry : misplaced) { // lanes that changed their kind while they waited
      turn.of(slow).remove(entry);
      turn.of(!slow).add(entry);
      entry.queuedAsSlow = !slow;
    }
  }

  /** Lanes that may have deliveries since that time or longer, those that wait longest first. */
  public synchronized List<Id> waitingSince(long ms, int limit) {
    return entries.values().stream()
        .filter(entry -> entry.lookAtMs <= ms)
        .sorted(Comparator.comparingLong(entry -> entry.lookAtMs))
        .limit(limit)
        .map(entry -> entry.laneId)
        .toList();
  }

  /** Whether a due lane could not be served. */
  public synchronized boolean anyDue() {
    return !turns.isEmpty();
  }

  /**
   * When the next lane is due, of those that are not due yet; {@link Long#MAX_VALUE} if there is
   * none.
   */
  public synchronized long nextLookMs() {
    return later.isEmpty() ? Long.MAX_VALUE : later.getFirst().lookAtMs;
  }

  public synchronized int size() {
    return entries.size();
  }
}
