package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.maintenance.Retention.Cutoffs;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.postgres.DayPartitions;
import dev.postrider.storage.postgres.DayPartitions.Day;
import dev.postrider.storage.postgres.PostgresDatabase;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Retention of the days of PostgreSQL that have many messages. Once a whole day is past its
 * retention, its partitions are truncated instead of deleting their rows. A few messages that stay,
 * such as those with a dead letter, are set aside and inserted again, in the same transaction.
 *
 * <p>Deliveries without a row have then ended for certain: no lease batch names a message of the
 * day, and their messages can only get new deliveries by a lock of the message, which conflicts
 * with the lock of the partition. Messages that have deliveries with a row are deleted before, in
 * the usual steps, or stay.
 */
final class DayPruner {
  /**
   * The limits.
   *
   * @param largeMessages a day with at most so many messages is pruned by deletes
   * @param survivors how many messages may be set aside
   * @param survivorBytes and how many bytes of payloads
   */
  record Limits(int largeMessages, int survivors, long survivorBytes) {
    static final Limits DEFAULT = new Limits(20_000, 20_000, 64L << 20);
  }

  /** What a step of pruning needs of the run that it belongs to. */
  interface Run {
    boolean isStopping();

    /** Counts what was deleted, pauses, and returns the size of the next step. */
    int stepped(long beganNanos, int batch, PruneStore.Step step);
  }

  /**
   * How long after its acceptance a delivery without a row can have succeeded: its lease and its
   * attempt take minutes.
   */
  static final Duration SLACK = Duration.ofHours(1);

  private static final System.Logger LOG = System.getLogger(DayPruner.class.getName());

  private static final String STEPS = "the messages of {0} are deleted in steps: {1}";

  private final DayPartitions partitions;
  private final DayTruncationStore truncations;
  private final PruneStore store;
  private final RetentionOptions general;
  private final Limits limits;
  private final LongSupplier nanos;

  DayPruner(
      PostgresDatabase database,
      PruneStore store,
      RetentionOptions general,
      Limits limits,
      LongSupplier nanos) {
    this.partitions = database.days();
    this.truncations = new DayTruncationStore(database, nanos);
    this.store = store;
    this.general = general;
    this.limits = limits;
    this.nanos = nanos;
  }

  /**
   * Prunes the large days that are past the general retention as a whole.
   *
   * @return the large days that are not: their messages wait for the end of the day
   */
  List<Day> prune(long nowMs, Run run) {
    List<Day> waiting = new ArrayList<>();
    long today = DayPartitions.dayOf(nowMs).toEpochDay();
    for (Day day : partitions.days()) {
      if (run.isStopping()) {
        break;
      }
      if (day.date().toEpochDay() < today && day.isAttached()) {
        try {
          if (isLarge(day) && !pruned(day, nowMs, run)) {
            waiting.add(day);
          }
        } catch (StorageException e) {
          if (!DayPartitions.isGone(e)) {
            throw e;
          }
          LOG.log(Level.DEBUG, "another instance has removed {0}", day.date());
        }
      }
    }
    return waiting;
  }

  /** False if the day is not past as a whole. */
  private boolean pruned(Day day, long nowMs, Run run) {
    boolean past = isPast(day, Cutoffs.of(general, nowMs));
    if (past) {
      prune(day, nowMs, run);
    }
    return past;
  }

  private boolean isLarge(Day day) {
    return store.hasMoreThan(messages(day), limits.largeMessages());
  }

  private static String messages(Day day) {
    return DayPartitions.leaf("messages", day.date());
  }

  /** Whether what succeeded at once, and what had no delivery, may be deleted of the whole day. */
  private static boolean isPast(Day day, Cutoffs cutoffs) {
    long endMs = day.date().plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    return endMs + SLACK.toMillis() <= Math.min(cutoffs.deliveredMs(), cutoffs.unroutedMs());
  }

  private void prune(Day day, long nowMs, Run run) {
    List<Id> past = new ArrayList<>();
    Id application = store.nextApplication(messages(day), Id.ZERO);
    while (application != null && !run.isStopping()) {
      Cutoffs cutoffs = Cutoffs.of(store.retentionOf(application, general), nowMs);
      if (isPast(day, cutoffs)) {
        past.add(application);
        pruneRows(application, day, cutoffs, run);
      }
      application = store.nextApplication(messages(day), application);
    }
    if (!run.isStopping()) {
      long began = nanos.getAsLong();
      PruneStore.Step removed = truncate(day, past);
      if (removed != null) {
        run.stepped(began, 1, removed);
      }
    }
  }

  private void pruneRows(Id application, Day day, Cutoffs cutoffs, Run run) {
    int batch = Pruner.MAX_BATCH / 5;
    Id after = day.first();
    while (after != null && !run.isStopping()) {
      long began = nanos.getAsLong();
      PruneStore.Step step = store.pruneWithRows(application, after, day.end(), cutoffs, batch);
      after = step.last();
      batch = run.stepped(began, batch, step);
    }
  }

  /** Null if the day is left as it is. */
  private PruneStore.@Nullable Step truncate(Day day, List<Id> past) {
    try {
      DayTruncationStore.Result result = truncations.truncate(day, past, limits);
      if (result.removed() != null) {
        LOG.log(
            Level.INFO,
            "removed the messages of {0} except {1}; its partitions were locked for {2} ms",
            day.date(),
            result.kept(),
            result.lockedMs());
        return result.removed();
      }
      LOG.log(Level.INFO, STEPS, day.date(), result.obstacle());
    } catch (DatabaseUnavailable e) {
      LOG.log(Level.INFO, STEPS, day.date(), e.getMessage());
    }
    return null;
  }
}
