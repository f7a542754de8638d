package dev.postrider.maintenance;

import dev.postrider.audit.Actor;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.tenant.PurgeCounts;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Permanently deletes applications and endpoints that were marked as deleted, with all their data
 * (engine rule 20). In batches, with a pause after each that is as long as the batch took, so that
 * a server on the same database is hardly affected. Can be interrupted and run again at any time.
 */
public final class Purger {
  static final int BATCH = 500;
  static final Duration MAX_PAUSE = Duration.ofSeconds(1);

  private final PurgeStore store;
  private final TimeSource time;
  private PurgeCounts counts = PurgeCounts.NONE;

  /**
   * @param actor for the audit log
   */
  public Purger(Database database, TimeSource time, Ids ids, Actor actor) {
    this.store = new PurgeStore(database, ids, actor);
    this.time = time;
  }

  /** What a purge would examine. */
  public PurgeCounts preview() {
    PurgeCounts found = PurgeCounts.NONE;
    for (PurgeStore.Deleted deleted : store.deleted()) {
      boolean application = deleted.endpoint() == null;
      found =
          found.plus(
              new PurgeCounts(
                  application ? 1 : 0,
                  application ? 0 : 1,
                  0,
                  store.deliveries(deleted),
                  0,
                  application && store.inUse(deleted.application()) ? 1 : 0));
    }
    return found;
  }

  /**
   * @param progress called after every batch
   */
  public PurgeCounts purge(Consumer<PurgeCounts> progress) {
    for (PurgeStore.Deleted deleted : store.deleted()) {
      purge(deleted, progress);
    }
    return counts;
  }

  private void purge(PurgeStore.Deleted deleted, Consumer<PurgeCounts> progress) {
    Id endpoint = deleted.endpoint();
    if (endpoint == null && store.inUse(deleted.application())) {
      count(new PurgeCounts(0, 0, 0, 0, 0, 1), progress);
      return;
    }
    boolean unfinished = deliveries(deleted, progress);
    if (unfinished) {
      // A server cancels pending deliveries of a deleted endpoint; the next purge deletes the
      // rest.
      count(new PurgeCounts(0, 0, 0, 0, 0, 1), progress);
    } else if (endpoint == null) {
      messages(deleted.application(), progress);
      store.deleteApplication(deleted.application());
      count(new PurgeCounts(1, 0, 0, 0, 0, 0), progress);
    } else {
      store.deleteRoutes(deleted.application(), endpoint);
      store.deleteEndpoint(deleted.application(), endpoint);
      count(new PurgeCounts(0, 1, 0, 0, 0, 0), progress);
    }
  }

  /** True if some are unfinished. */
  private boolean deliveries(PurgeStore.Deleted deleted, Consumer<PurgeCounts> progress) {
    boolean stored = deliveries(after -> store.deliveries(deleted, after, BATCH), progress);
    boolean rowless = deliveries(after -> store.rowlessDeliveries(deleted, after, BATCH), progress);
    return stored || rowless;
  }

  private boolean deliveries(Function<Id, PurgeStore.Step> next, Consumer<PurgeCounts> progress) {
    boolean unfinished = false;
    for (Id after = Id.ZERO; after != null; ) {
      long began = time.nanos();
      PurgeStore.Step step = next.apply(after);
      unfinished |= step.unfinished() > 0;
      count(new PurgeCounts(0, 0, 0, step.removed(), step.attempts(), 0), progress);
      after = step.last();
      pause(began);
    }
    return unfinished;
  }

  private void messages(Id application, Consumer<PurgeCounts> progress) {
    for (Id after = Id.ZERO; after != null; ) {
      long began = time.nanos();
      PurgeStore.Step step = store.deleteMessages(application, after, BATCH);
      count(new PurgeCounts(0, 0, step.removed(), 0, 0, 0), progress);
      after = step.last();
      pause(began);
    }
    int removed;
    do {
      long began = time.nanos();
      removed = store.deleteKeys(application, BATCH);
      pause(began);
    } while (removed == BATCH);
  }

  private void count(PurgeCounts more, Consumer<PurgeCounts> progress) {
    counts = counts.plus(more);
    progress.accept(counts);
  }

  private void pause(long beganNanos) {
    LockSupport.parkNanos(Math.min(time.nanos() - beganNanos, MAX_PAUSE.toNanos()));
  }
}
