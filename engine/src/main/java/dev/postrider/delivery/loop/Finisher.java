package dev.postrider.delivery.loop;

import dev.postrider.delivery.AttemptResult;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.policy.Finding;
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
import java.util.Objects;
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

  public void add(AttemptResult result) {
    Line line = result.releasedUntilMs() != null ? released : isClean(result) ? clean : dirty;
    line.queue.add(result);
  }

  public int waiting() {
    return clean.queue.size() + dirty.queue.size() + released.queue.size();
  }

  private boolean isClean(AttemptResult result) {
    return result.finding() == Finding.SUCCESS
        && result.delivery().failedBefore() < FinishEvent.FAILING_AFTER
        && result.delivery().lane().isClean();
  }

  private List<LaneFinish.Ended> finishDirty(List<AttemptResult> batch) {
    return laneFinish.finish(batch);
  }

  private List<LaneFinish.Ended> finishClean(List<AttemptResult> batch) {
    long now = time.nowMs();
    List<Finish> finishes = new ArrayList<>(batch.size());
    for (AttemptResult result : batch) {
      finishes.add(
          new Finish(
              result.delivery().ref(),
              DeliveryStatus.DELIVERED,
              1,
              null,
              now,
              null,
              null,
              result.attempt()));
    }
    int recorded = finishIfHeld(finishes);
    boolean allHeld = recorded == batch.size();
    Set<Id> lost = allHeld ? Set.of() : laneFinish.lost(link, batch);
    List<LaneFinish.Ended> ended = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      AttemptResult result = batch.get(i);
      ended.add(
          new LaneFinish.Ended(result, finishes.get(i), lost.contains(result.delivery().id())));
    }
    return ended;
  }

  private int finishIfHeld(List<Finish> finishes) {
    List<LeaseBatch.Key> settled = unsettled.takeSettledBatches();
    try {
      return link.run(connection -> statements.finishIfHeld(connection, finishes, settled));
    } catch (RuntimeException | Error e) {
      settled.forEach(unsettled::batchSettled);
      throw e;
    }
  }

  private List<LaneFinish.Ended> release(List<AttemptResult> batch) {
    long now = time.nowMs();
    List<LeaseStore.Release> releases = new ArrayList<>(batch.size());
    for (AttemptResult result : batch) {
      releases.add(
          new LeaseStore.Release(
              result.delivery().ref(), Objects.requireNonNull(result.releasedUntilMs())));
    }
    Set<LeaseRef> canceled = new HashSet<>(leases.releaseIfHeld(releases, now).canceled());
    List<LaneFinish.Ended> ended = new ArrayList<>(batch.size());
    for (AttemptResult result : batch) {
      LeaseRef lease = result.delivery().ref();
      Finish finish =
          canceled.contains(lease)
              ? new Finish(
                  lease,
                  DeliveryStatus.CANCELED,
                  0,
                  null,
                  now,
                  EndReason.CANCEL_REQUESTED,
                  null,
                  null)
              : new Finish(
                  lease,
                  DeliveryStatus.PENDING,
                  0,
                  result.releasedUntilMs(),
                  null,
                  null,
                  null,
                  null);
      ended.add(new LaneFinish.Ended(result, finish, false));
    }
    return ended;
  }

  private void free(AttemptResult result) {
    freePlace(result);
    Delivery delivery = result.delivery();
    delivery.lane().release(delivery.id(), delivery.number());
  }

  /** Only the end of the delivery is a change for others. */
  private void notifyReleased(Finish finish) {
    EndReason reason = finish.reason();
    if (reason != null) {
      listener.statusChanged(StatusChange.canceled(finish.lease(), reason));
    }
  }

  private void freePlace(AttemptResult result) {
    if (result.failed()) {
      lanes.room().backFromReceiver();
    }
    lanes.room().leaseEnded(result.delivery().lane(), result.delivery().sizeInBytes());
  }

  /** A queue of attempt results, and the thread that writes them to the database. */
  private final class Line {
    private final BatchQueue<AttemptResult> queue =
        new BatchQueue<>(Integer.MAX_VALUE, Long.MAX_VALUE);
    private final List<AttemptResult> batch = new ArrayList<>();
    private final PeriodicLoop loop;
    private final int batchRows;
    private final Function<List<AttemptResult>, List<LaneFinish.Ended>> write;

    /**
     * Of the current batch, the results whose listeners were called and whose slots were released;
     * used only by the loop. The same result must not do so twice when a batch is written again.
     */
    private final Set<AttemptResult> settled = Collections.newSetFromMap(new IdentityHashMap<>());

    Line(String name, int batchRows, Function<List<AttemptResult>, List<LaneFinish.Ended>> write) {
      this.loop =
          new PeriodicLoop(
              name, this::turn, PeriodicLoop.Options.DEFAULT.nonDaemon().endsWhen(this::mayEnd));
      this.batchRows = batchRows;
      this.write = write;
    }

    private long turn() {
      batch.clear();
      queue.take(batch, batchRows, BATCH_BYTES, loop.isStopping() && mayStillGetMore() ? 5 : 500);
      if (!batch.isEmpty() && !halted) {
        recordOrLeave(batch);
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
    private void recordOrLeave(List<AttemptResult> batch) {
      settled.clear();
      List<AttemptResult> left = batch;
      for (int run = 1; !left.isEmpty(); run++) {
        try {
          record(left);
          return; // a result that is not recorded now waits for the database, and we are stopping
        } catch (Error fault) {
          LOG.log(Level.ERROR, "recording of attempt results failed", fault);
          left = left.stream().filter(result -> !settled.contains(result)).toList();
          if (run == RUNS_AFTER_ERROR) {
            left.forEach(this::leave);
            return;
          }
          AFTER_FAULT.pause(run);
        }
      }
    }

    /** Still held in memory, otherwise reconciling would release it as if it had not been sent. */
    private void leave(AttemptResult result) {
      if (settled.add(result)) {
        freePlace(result);
      }
    }

    private void record(List<AttemptResult> batch) {
      List<AttemptResult> own = batch;
      if (this == clean && !batch.stream().allMatch(Finisher.this::isClean)) {
        own = new ArrayList<>(batch.size());
        for (AttemptResult result : batch) {
          if (isClean(result)) {
            own.add(result);
          } else if (settled.add(result)) {
            dirty.queue.add(result); // its lane has failed meanwhile
          }
        }
      }
      if (!own.isEmpty()) {
        // After the write, never within its retries: a slot that is released twice is a slot too
        // many.
        written(own).forEach(this::ended);
      }
    }

    /**
     * The lease is over: its slot is released, listeners are notified, and the next attempt is
     * added to the lane book.
     */
    private void ended(LaneFinish.Ended ended) {
      AttemptResult result = ended.result();
      if (!settled.add(result)) {
        return;
      }
      free(result);
      result.delivery().settled();
      Long next = ended.finish().nextAttemptAtMs();
      Long released = result.releasedUntilMs();
      if (released != null) {
        // The holder or probe of the lane may have been this one: then it is free now.
        lanes.book().unpark(result.delivery().lane(), released);
      } else if (next != null) {
        lanes.book().add(result.delivery().lane(), next);
      }
      try {
        if (released != null) {
          notifyReleased(ended.finish());
        } else if (ended.leaseLost()) {
          listener.leaseLost(result);
        } else {
          listener.finished(result, ended.finish());
        }
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "a listener failed; the attempt result is recorded nevertheless", e);
      }
    }

    private List<LaneFinish.Ended> written(List<AttemptResult> batch) {
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
    private void split(List<AttemptResult> batch, RuntimeException fault) {
      if (batch.size() > 1) {
        record(List.copyOf(batch.subList(0, batch.size() / 2)));
        record(List.copyOf(batch.subList(batch.size() / 2, batch.size())));
        return;
      }
      AttemptResult culprit = batch.getFirst();
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
