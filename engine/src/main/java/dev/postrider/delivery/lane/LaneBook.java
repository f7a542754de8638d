package dev.postrider.delivery.lane;

import dev.postrider.delivery.lane.Lane.Place;
import dev.postrider.delivery.lane.LaneRoom.Allowance;
import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that have pending deliveries, with the time at which to check each. It is filled by the
 * writes of this instance and by sweeps over the due index, so that a claim reads only lanes that
 * may have due deliveries and lanes with an open circuit cost nothing. A lane that is missing waits
 * until the next sweep at most.
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
   * A snapshot of when a lane is to be checked. {@link #lookAgain} and {@link #forget} change
   * nothing if that has changed since the snapshot. A parked lane is not checked before its time,
   * even if deliveries arrive.
   */
  public record Look(Lane lane, long lookAtMs, boolean parked, long touched) {
    private static Look of(Lane lane) {
      return new Look(lane, lane.lookAtMs, lane.parked, lane.touched);
    }
  }

  /** The due lanes of one application, each kind in the order in which they are served. */
  private static final class Turn {
    private final LinkedHashSet<Lane> quick = new LinkedHashSet<>();
    private final LinkedHashSet<Lane> slow = new LinkedHashSet<>();

    private SequencedSet<Lane> of(boolean slowOnes) {
      return slowOnes ? slow : quick;
    }
  }

  private final TreeSet<Lane> later =
      new TreeSet<>(Comparator.<Lane>comparingLong(lane -> lane.lookAtMs).thenComparing(Lane::id));

  private final LinkedHashSet<Lane> full = new LinkedHashSet<>();

  /** Applications with due lanes; the first has waited longest. */
  private final LinkedHashMap<Id, Turn> turns = new LinkedHashMap<>();

  private long touches;
  private volatile @Nullable Runnable onWork;

  /** Called whenever a lane may have work earlier than known before. */
  public void onWork(Runnable listener) {
    onWork = listener;
  }

  /** A delivery is pending in this lane, due at that time; returns when the lane is checked. */
  public Look add(Lane lane, long dueMs) {
    Look after;
    boolean earlier;
    synchronized (this) {
      earlier =
          lane.place == Place.NOWHERE
              || (lane.place == Place.LATER && !lane.parked && dueMs < lane.lookAtMs);
      if (earlier) {
        move(lane, dueMs, false);
      }
      lane.touched = ++touches;
      after = Look.of(lane);
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
  public void unpark(Lane lane, long atMs) {
    synchronized (this) {
      if (lane.place == Place.NOWHERE) {
        move(lane, atMs, false);
      } else if (lane.place != Place.DUE) {
        move(lane, lane.parked ? atMs : Math.min(lane.lookAtMs, atMs), false);
      }
      lane.touched = ++touches;
    }
    signal();
  }

  /** A slot has become free in this lane. */
  public void roomIn(Lane lane) {
    if (!lane.isScheduled()) {
      return;
    }
    synchronized (this) {
      if (lane.place == Place.FULL) {
        move(lane, lane.lookAtMs, lane.parked);
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

  /** Removes the lane from its queue until that time. */
  private void move(Lane lane, long lookAtMs, boolean parked) {
    leave(lane);
    lane.lookAtMs = lookAtMs;
    lane.parked = parked;
    lane.place = Place.LATER;
    later.add(lane);
    lane.rescheduled();
  }

  private void leave(Lane lane) {
    switch (lane.place) {
      case LATER -> later.remove(lane);
      case DUE -> {
        Turn turn = turns.get(takesTurnsAs(lane));
        if (turn != null) {
          turn.of(lane.queuedAsSlow).remove(lane);
          if (turn.quick.isEmpty() && turn.slow.isEmpty()) {
            turns.remove(takesTurnsAs(lane));
          }
        }
      }
      case FULL -> full.remove(lane);
      case NOWHERE -> {}
    }
  }

  /** Null if nothing is pending in the lane, as far as known. */
  public synchronized @Nullable Look look(Lane lane) {
    return lane.place == Place.NOWHERE ? null : Look.of(lane);
  }

  /** Check again then, unless something has changed meanwhile. */
  public synchronized void lookAgain(Look seen, long atMs, boolean parked) {
    if (isUntouched(seen)) {
      move(seen.lane(), atMs, parked);
    }
  }

  /** Nothing is pending in this lane, unless something has changed meanwhile. */
  public synchronized void forget(Look seen) {
    if (isUntouched(seen)) {
      Lane lane = seen.lane();
      leave(lane);
      lane.place = Place.NOWHERE;
      lane.parked = false;
      lane.rescheduled();
    }
  }

  private static boolean isUntouched(Look seen) {
    Lane lane = seen.lane();
    return lane.place != Place.NOWHERE && lane.touched == seen.touched();
  }

  /** The lane is full: it is due again after a call of {@link #roomIn}. */
  public synchronized void full(Lane lane) {
    if (lane.place == Place.DUE) {
      leave(lane);
      lane.place = Place.FULL;
      full.add(lane);
    }
  }

  /** Full lanes are checked again, in case a free slot was not reported. */
  public synchronized void lookAtFullOnes() {
    for (Lane lane : List.copyOf(full)) {
      move(lane, lane.lookAtMs, lane.parked);
    }
  }

  /**
   * Lanes to check now. Applications take turns, with a few lanes each if others wait as well. A
   * turn ends with {@link #served}, so that an application that got no slot keeps its turn.
   */
  public synchronized List<Look> due(long nowMs, int limit, LaneRoom room) {
    queueDue(nowMs);
    List<Look> due = new ArrayList<>();
    int perTurn = turns.isEmpty() ? 0 : Math.max(LANES_PER_TURN, limit / turns.size());
    for (Id applicationId : List.copyOf(turns.keySet())) {
      Allowance allowance = due.size() >= limit ? Allowance.NOTHING : room.allowance(applicationId);
      Turn turn = turns.get(applicationId);
      if (allowance != Allowance.NOTHING && turn != null) {
        serve(turn, allowance, Math.min(perTurn, limit - due.size()), due);
      }
    }
    return due;
  }

  /** The lane has had its turn, and so has its application. */
  public synchronized void served(Lane lane) {
    Turn turn = turns.get(takesTurnsAs(lane));
    if (turn != null && lane.place == Place.DUE) {
      turn.of(lane.queuedAsSlow).addLast(lane);
      turns.putLast(takesTurnsAs(lane), turn);
    }
  }

  /** Who takes turns: the applications, not the lanes. */
  private static Id takesTurnsAs(Lane lane) {
    return lane.applicationId();
  }

  private void queueDue(long nowMs) {
    while (!later.isEmpty() && later.getFirst().lookAtMs <= nowMs) {
      Lane lane = later.removeFirst();
      // It is due: from now on new deliveries do not change when it is checked.
      lane.parked = false;
      lane.place = Place.DUE;
      lane.queuedAsSlow = lane.isSlow();
      lane.rescheduled();
      turns.computeIfAbsent(takesTurnsAs(lane), _ -> new Turn()).of(lane.queuedAsSlow).add(lane);
    }
  }

  private static void serve(Turn turn, Allowance allowance, int lanes, List<Look> due) {
    boolean slowToo = allowance == Allowance.ALL_LANES;
    int kept = slowToo ? Math.min(SLOW_PER_TURN, turn.slow.size()) : 0;
    int before = due.size();
    poll(turn, false, lanes - kept, due);
    if (slowToo) {
      poll(turn, true, lanes - (due.size() - before), due);
    }
  }

  private static void poll(Turn turn, boolean slow, int lanes, List<Look> due) {
    int until = due.size() + lanes;
    List<Lane> misplaced = new ArrayList<>();
    for (Lane lane : turn.of(slow)) {
      if (due.size() >= until || misplaced.size() >= MISPLACED_PER_TURN) {
        break;
      }
      if (lane.isSlow() == slow) {
        due.add(Look.of(lane));
      } else {
        misplaced.add(lane);
      }
    }
    for (Lane lane : misplaced) { // lanes that changed their kind while they waited
      turn.of(slow).remove(lane);
      turn.of(!slow).add(lane);
      lane.queuedAsSlow = !slow;
    }
  }

  /** Lanes that may have deliveries since that time or longer, those that wait longest first. */
  public synchronized List<Id> waitingSince(long ms, int limit) {
    return scheduled()
        .filter(lane -> lane.lookAtMs <= ms)
        .sorted(Comparator.comparingLong(lane -> lane.lookAtMs))
        .limit(limit)
        .map(Lane::id)
        .toList();
  }

  private Stream<Lane> scheduled() {
    Stream<Lane> due =
        turns.values().stream()
            .flatMap(turn -> Stream.concat(turn.quick.stream(), turn.slow.stream()));
    return Stream.concat(Stream.concat(full.stream(), due), later.stream());
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

  /** How many lanes may have deliveries, now or later. */
  public synchronized int size() {
    int due = 0;
    for (Turn turn : turns.values()) {
      due += turn.quick.size() + turn.slow.size();
    }
    return due + full.size() + later.size();
  }
}
