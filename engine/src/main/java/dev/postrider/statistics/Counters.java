package dev.postrider.statistics;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.Tally;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Counts deliveries and attempts in memory, and appends the sums to the database at intervals. */
public final class Counters implements DeliveryListener {
  static final long MINUTE_MS = 60_000;

  /**
   * Maximum number of sums kept while the database is unavailable; beyond it events are not
   * counted.
   */
  static final int MAX_WAITING = 200_000;

  private static final System.Logger LOG = System.getLogger(Counters.class.getName());

  static final Comparator<Key> KEY_ORDER =
      Comparator.comparing(Key::applicationId)
          .thenComparing(Key::laneId)
          .thenComparingLong(Key::minute);

  /**
   * The key of a counter: one lane in one minute. The lane id is zero for counters of the whole
   * application.
   */
  record Key(Id applicationId, Id laneId, long minute) {}

  /** The sums of one lane in one minute. */
  record Counted(Key key, Tally tally) {}

  /**
   * Counters that are written in one transaction. A failed write is repeated with the same part
   * number, so that nothing is counted twice.
   */
  record Part(int number, List<Counted> rows) {}

  /**
   * The counters of this instance that are not in the database yet.
   *
   * @param from parts of this instance from this one on are in {@code rows}, stored or not
   */
  record Unwritten(Id instance, int from, List<Counted> rows) {}

  private final CounterStore store;
  private final Id instance;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock writing = new ReentrantLock();
  private Map<Key, TallySum> sums = new HashMap<>();
  private @Nullable Part leaving;
  private int nextPart = 1;
  private boolean full;

  public Counters(CounterStore store, Id instance, TimeSource time) {
    this.store = store;
    this.instance = instance;
    this.time = time;
  }

  /** Counts a message and its deliveries. */
  public void accepted(Id applicationId, Collection<Id> lanes) {
    long minute = minute();
    lock.lock();
    try {
      TallySum application = sum(new Key(applicationId, Id.ZERO, minute));
      application.accepted++;
      for (Id lane : lanes) {
        sum(new Key(applicationId, lane, minute)).accepted++;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void finished(Outcome outcome, Finish finish) {
    Finish.Attempt attempt = finish.attempt();
    lock.lock();
    try {
      TallySum sum = sum(key(outcome.delivery().applicationId(), outcome.delivery().laneId()));
      if (attempt != null) {
        sum.addAttempt(attempt.latencyMs());
        sum.failed += attempt.outcome() == OutcomeClass.SUCCESS.code() ? 0 : 1;
      }
      switch (finish.status()) {
        case DELIVERED -> sum.delivered++;
        case DEAD_LETTER -> sum.deadLetter++;
        case CANCELED -> sum.canceled++;
        case PENDING, SENDING, FAILED -> {}
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void statusChanged(StatusChange change) {
    if (change.status() != DeliveryStatus.CANCELED) {
      return;
    }
    lock.lock();
    try {
      sum(key(change.applicationId(), change.laneId())).canceled += change.deliveries().size();
    } finally {
      lock.unlock();
    }
  }

  private Key key(Id applicationId, Id laneId) {
    return new Key(applicationId, laneId, minute());
  }

  private long minute() {
    return Math.floorDiv(time.nowMs(), MINUTE_MS) * MINUTE_MS;
  }

  private TallySum sum(Key key) {
    TallySum known = sums.get(key);
    if (known != null) {
      return known;
    }
    TallySum fresh = new TallySum();
    if (sums.size() < MAX_WAITING) {
      sums.put(key, fresh);
    } else if (!full) {
      full = true;
      LOG.log(
          Level.WARNING,
          "the database was unavailable for too long: some statistics counts are lost");
    }
    return fresh;
  }

  /** Appends the collected sums; nothing is lost or counted twice if that fails. */
  public void flush() {
    writing.lock();
    try {
      Part part = next();
      if (part != null) {
        store.append(instance, part);
        written();
      }
    } finally {
      writing.unlock();
    }
  }

  /** The part that is leaving, made of all sums if there is none. */
  private @Nullable Part next() {
    lock.lock();
    try {
      if (leaving == null && !sums.isEmpty()) {
        List<Counted> rows = new ArrayList<>(sums.size());
        sums.forEach((key, sum) -> rows.add(new Counted(key, sum.tally())));
        leaving = new Part(nextPart++, rows);
        sums = new HashMap<>();
        full = false;
      }
      return leaving;
    } finally {
      lock.unlock();
    }
  }

  private void written() {
    lock.lock();
    try {
      leaving = null;
    } finally {
      lock.unlock();
    }
  }

  Unwritten unwritten() {
    lock.lock();
    try {
      List<Counted> rows = new ArrayList<>();
      Part part = leaving;
      if (part != null) {
        rows.addAll(part.rows());
      }
      sums.forEach((key, sum) -> rows.add(new Counted(key, sum.tally())));
      return new Unwritten(instance, part == null ? nextPart : part.number(), rows);
    } finally {
      lock.unlock();
    }
  }

  /** How long until the minute is over, when the next flush is due. */
  public long untilNextMinuteMs() {
    return MINUTE_MS - Math.floorMod(time.nowMs(), MINUTE_MS);
  }
}
