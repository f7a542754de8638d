package dev.postrider.delivery.loop;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.delivery.store.LeaseStore;
import dev.postrider.id.Id;
import dev.postrider.storage.BatchQueue;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.Backoff;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Ends leases in batches. Successes on healthy lanes are one statement; everything that changes a
 * lane goes through {@link LaneFinish}; leases that end unsent are released. Each kind has its own
 * thread and connection, so that a burst of timeouts does not delay successes. A result is kept in
 * memory until it is recorded, however long the database is unavailable: their number is bounded by
 * the leases.
 */
public final class Finisher {
  static final int BATCH_ROWS = 512;
  static final long BATCH_BYTES = 4L * 1024 * 1024;

  /** Small, because on SQLite a transaction delays the accepts that wait for it. */
  static final int LANE_BATCH = 32;

  /** How often a batch is retried after an error of the process. */
  static final int RUNS_AFTER_ERROR = 5;

  /** This many conflicts in a row are logged. */
  private static final int MANY_CONFLICTS = 20;

  /** After an error of the process, or a conflict. */
  private static final Backoff AFTER_FAULT = Backoff.ofMillis(10, 100);

  private static final Backoff WITHOUT_DATABASE = Backoff.ofMillis(100, 1_000);

  private static final System.Logger LOG = System.getLogger(Finisher.class.getName());

  private final DedicatedConnection link;
  private final HotStatements statements;
  private final LaneFinish laneFinish;
  private final LeaseStore leases;

  private final Lanes lanes;
  private final UnsettledLeases unsettled;
  private final DeliveryListener listener;
  private final TimeSource time;
  private final Line clean = new Line("finish", BATCH_ROWS, this::finishClean);
  private final Line dirty = new Line("finish-lanes", LANE_BATCH, this::finishDirty);
  private final Line released = new Line("release", BATCH_ROWS, this::release);
  private volatile boolean halted;

  public Finisher(
      DedicatedConnection link,
      HotStatements statements,
      LaneFinish laneFinish,
      LeaseStore leases,
      Lanes lanes,
      UnsettledLeases unsettled,
      DeliveryListener listener,
      TimeSource time) {
    this.link = link;
    this.statements = statements;
    this.laneFinish = laneFinish;
    this.leases = leases;
    this.lanes = lanes;
    this.unsettled = unsettled;
    this.listener = listener;
    this.time = time;
  }

  public void start() {
    clean.loop.start();
    dirty.loop.start();
    released.loop.start();
  }

  /**
   * Records the queued results, then stops; gives up after the limit, and rescue handles the rest.
   */
  public void stop(long limitMs) {
    clean.loop.requestStop();
    dirty.loop.requestStop();
    released.loop.requestStop();
    long until = time.nanos() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    // In this order: the first may still pass outcomes on to the second.
    clean.loop.stop(Duration.ofNanos(until - time.nanos()));
    dirty.loop.stop(Duration.ofNanos(until - time.nanos()));
    released.loop.stop(Duration.ofNanos(until - time.nanos()));
  }

  /** Stops recording, as if the process had died. */
  public void halt() {
    halted = true;
    stop(TimeUnit.SECONDS.toMillis(1));
  }

  public void add(Outcome outcome) {
    Line line = outcome instanceof Outcome.Released ? released : isClean(outcome) ? clean : dirty;
    line.queue.add(outcome);
  }

  public int waiting() {
    return clean.queue.size() + dirty.queue.size() + released.queue.size();
  }

  private static boolean isClean(Outcome outcome) {
    return outcome instanceof Outcome.Tried tried
        && tried.meaning() == Meaning.SUCCESS
        && tried.delivery().failedBefore() < FinishEvent.FAILING_AFTER
        && tried.delivery().lane().isClean();
  }

  private List<Finish> finishDirty(List<Outcome> batch) {
    return laneFinish.finish(batch);
  }

  private List<Finish> finishClean(List<Outcome> batch) {
    long now = time.nowMs();
    List<Finish> finishes = new ArrayList<>(batch.size());
    for (Outcome outcome : batch) {
      finishes.add(
          Finish.tried(
              outcome.delivery().ref(),
              Verdict.DELIVERED,
              ((Outcome.Tried) outcome).attempt(),
              now));
    }
    int recorded = finishIfHeld(finishes);
    if (recorded < batch.size()) {
      Set<Id> lost = laneFinish.lost(link, batch);
      finishes.replaceAll(
          finish -> lost.contains(finish.lease().deliveryId()) ? finish.asLost() : finish);
    }
    return finishes;
  }

  private int finishIfHeld(List<Finish> finishes) {
    int group = lanes.groups().of(finishes.getFirst().lease().applicationId());
    List<LeaseBatch.Key> settled = unsettled.takeSettledBatches(group);
    try {
      return link.run(connection -> statements.finishIfHeld(connection, finishes, settled));
    } catch (RuntimeException | Error e) {
      settled.forEach(unsettled.inGroup(group));
      throw e;
    }
  }

  private List<Finish> release(List<Outcome> batch) {
    long now = time.nowMs();
    List<LeaseStore.Release> releases = new ArrayList<>(batch.size());
    for (Outcome outcome : batch) {
      releases.add(
          new LeaseStore.Release(outcome.delivery().ref(), ((Outcome.Released) outcome).dueAtMs()));
    }
    Set<LeaseRef> canceled = new HashSet<>(leases.releaseIfHeld(releases, now).canceled());
    List<Finish> finishes = new ArrayList<>(batch.size());
    for (LeaseStore.Release one : releases) {
      Verdict verdict =
          canceled.contains(one.lease())
              ? Verdict.ended(DeliveryEvent.CANCEL, EndReason.CANCEL_REQUESTED)
              : Verdict.again(DeliveryEvent.RELEASE, one.nextAttemptAtMs());
      finishes.add(Finish.untried(one.lease(), verdict, null, now));
    }
    return finishes;
  }

  private void free(Outcome outcome) {
    freePlace(outcome);
    Delivery delivery = outcome.delivery();
    delivery.lane().release(delivery.id(), delivery.number());
  }

  /** Only the end of the delivery is a change for others. */
  private void notifyReleased(Finish finish) {
    EndReason reason = finish.reason();
    if (reason != null) {
      listener.statusChanged(StatusChange.canceled(finish.lease(), reason));
    }
  }

  private void freePlace(Outcome outcome) {
    if (outcome.failed()) {
      lanes.room().backFromReceiver();
    }
    lanes.room().leaseEnded(outcome.delivery().lane(), outcome.delivery().sizeInBytes());
  }

  /** A queue of attempt results, and the thread that writes them to the database. */
  private final class Line {
    private final BatchQueue<Outcome> queue = new BatchQueue<>(Integer.MAX_VALUE, Long.MAX_VALUE);
    private final List<Outcome> batch = new ArrayList<>();
    private final PeriodicLoop loop;
    private final int batchRows;
    private final Function<List<Outcome>, List<Finish>> write;

    /**
     * Of the current batch, the results whose listeners were called and whose slots were released;
     * used only by the loop. The same result must not do so twice when a batch is written again.
     */
    private final Set<Outcome> settled = Collections.newSetFromMap(new IdentityHashMap<>());

    Line(String name, int batchRows, Function<List<Outcome>, List<Finish>> write) {
      this.loop =
          new PeriodicLoop(
              name, this::turn, PeriodicLoop.Options.DEFAULT.nonDaemon().endsWhen(this::mayEnd));
      this.batchRows = batchRows;
      this.write = write;
    }

    private long turn() {
      batch.clear();
      queue.take(batch, batchRows, BATCH_BYTES, loop.isStopping() && mayStillGetMore() ? 5 : 500);
      for (List<Outcome> group :
          lanes.groups().split(batch, outcome -> outcome.delivery().ref().applicationId())) {
        if (!halted) {
          recordOrLeave(group);
        }
      }
      return 0;
    }

    private boolean mayEnd() {
      return halted || (queue.isEmpty() && !mayStillGetMore());
    }

    /** While the other one runs, it may pass results to this one. */
    private boolean mayStillGetMore() {
      return this == dirty && clean.loop.isRunning();
    }

    /**
     * The process may be short of memory or stack for a moment, and without this thread no result
     * would ever be recorded again. Results that cannot be recorded are handled when their leases
     * expire.
     */
    private void recordOrLeave(List<Outcome> batch) {
      settled.clear();
      List<Outcome> left = batch;
      for (int run = 1; !left.isEmpty(); run++) {
        try {
          record(left);
          return; // a result that is not recorded now waits for the database, and we are stopping
        } catch (Error fault) {
          LOG.log(Level.ERROR, "recording of attempt results failed", fault);
          left = left.stream().filter(outcome -> !settled.contains(outcome)).toList();
          if (run == RUNS_AFTER_ERROR) {
            left.forEach(this::leave);
            return;
          }
          AFTER_FAULT.pause(run);
        }
      }
    }

    /** Still held in memory, otherwise reconciling would release it as if it had not been sent. */
    private void leave(Outcome outcome) {
      if (settled.add(outcome)) {
        freePlace(outcome);
      }
    }

    private void record(List<Outcome> batch) {
      List<Outcome> own = batch;
      if (this == clean && !batch.stream().allMatch(Finisher::isClean)) {
        own = new ArrayList<>(batch.size());
        for (Outcome outcome : batch) {
          if (isClean(outcome)) {
            own.add(outcome);
          } else if (settled.add(outcome)) {
            dirty.queue.add(outcome); // its lane has failed meanwhile
          }
        }
      }
      if (!own.isEmpty()) {
        // After the write, never within its retries: a slot that is released twice is a slot too
        // many.
        List<Finish> finishes = written(own);
        for (int i = 0; i < finishes.size(); i++) {
          ended(own.get(i), finishes.get(i));
        }
      }
    }

    /**
     * The lease is over: its slot is released, listeners are notified, and the next attempt is
     * added to the lane book.
     */
    private void ended(Outcome outcome, Finish finish) {
      if (!settled.add(outcome)) {
        return;
      }
      Delivery delivery = outcome.delivery();
      free(outcome);
      delivery.settled();
      Long next = finish.nextAttemptAtMs();
      Outcome.Released released = outcome instanceof Outcome.Released one ? one : null;
      if (released != null) {
        // The holder or probe of the lane may have been this one: then it is free now.
        lanes.book().unpark(delivery.lane(), released.dueAtMs());
      } else if (next != null) {
        lanes.book().add(delivery.lane(), next);
      }
      try {
        if (released != null) {
          notifyReleased(finish);
        } else if (finish.lost()) {
          listener.leaseLost(outcome);
        } else {
          listener.finished(outcome, finish);
        }
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "a listener failed; the attempt result is recorded nevertheless", e);
      }
    }

    private List<Finish> written(List<Outcome> batch) {
      for (int run = 1; ; run++) {
        try {
          return write.apply(batch);
        } catch (DatabaseUnavailable e) {
          LOG.log(
              run == 1 ? Level.WARNING : Level.DEBUG,
              "attempt results wait until the database is available: {0}",
              e.getMessage());
          if (halted || (loop.isStopping() && run > 20)) {
            return List.of();
          }
          WITHOUT_DATABASE.pause(run);
        } catch (StorageException e) {
          if (SqlFaults.of(e) != SqlFaults.CONFLICT) {
            split(batch, e);
            return List.of();
          }
          if (run == MANY_CONFLICTS) {
            LOG.log(
                Level.WARNING,
                "attempt results wait: the database reports repeated conflicts: {0}",
                e.getMessage());
          }
          if (halted || (loop.isStopping() && run > MANY_CONFLICTS)) {
            return List.of();
          }
          AFTER_FAULT.pause(run);
        } catch (RuntimeException e) {
          split(batch, e);
          return List.of();
        }
      }
    }

    /**
     * An internal error of one result must not delay the others: the batch is halved until the
     * failing result is alone.
     */
    private void split(List<Outcome> batch, RuntimeException fault) {
      if (batch.size() > 1) {
        record(List.copyOf(batch.subList(0, batch.size() / 2)));
        record(List.copyOf(batch.subList(batch.size() / 2, batch.size())));
        return;
      }
      Outcome culprit = batch.getFirst();
      LOG.log(
          Level.ERROR,
          "an attempt result cannot be recorded; the delivery will be rescued when its lease"
              + " expires",
          fault);
      if (settled.add(culprit)) {
        free(culprit);
      }
    }
  }
}
