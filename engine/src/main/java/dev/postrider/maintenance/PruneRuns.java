package dev.postrider.maintenance;

import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Stores the last prune run and requests for one, in one row that all instances share. */
public final class PruneRuns {
  /** A run whose instance has not written for this long is started again. */
  static final Duration SILENT = Duration.ofMinutes(10);

  /**
   * The row: the last request and the last run.
   *
   * @param askedAtMs when a run was last requested; 0 for never
   * @param endedAtMs null while it runs
   */
  public record Run(
      long askedAtMs,
      long beganAtMs,
      long seenAtMs,
      @Nullable Long endedAtMs,
      long applications,
      Pruner.Counts counts) {
    /** Whether a requested run has not started yet. */
    public boolean isAsked() {
      return askedAtMs > beganAtMs;
    }
  }

  private final Database database;
  private final TimeSource time;

  public PruneRuns(Database database, TimeSource time) {
    this.database = database;
    this.time = time;
  }

  /** The row; created at the first read, when no run can have been missed. */
  public Run read() {
    Run found = find();
    if (found != null) {
      return found;
    }
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO prune_runs (id, began_at, seen_at, ended_at) VALUES (1, :now, :now, :now)
                    ON CONFLICT (id) DO NOTHING
                    """)
                .bind("now", time.nowMs())
                .execute());
    Run made = find();
    if (made == null) {
      throw new IllegalStateException("the row of the last prune run is missing");
    }
    return made;
  }

  private @Nullable Run find() {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                    SELECT asked_at, began_at, seen_at, ended_at, applications, messages, deliveries, attempts, payloads,
                           idempotency_keys, secrets
                    FROM prune_runs WHERE id = 1
                    """)
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new Run(
                                    row.number("asked_at"),
                                    row.number("began_at"),
                                    row.number("seen_at"),
                                    row.numberOrNull("ended_at"),
                                    row.number("applications"),
                                    new Pruner.Counts(
                                        row.number("messages"),
                                        row.number("deliveries"),
                                        row.number("attempts"),
                                        row.number("payloads"),
                                        row.number("idempotency_keys"),
                                        row.number("secrets")))))
                    .findOne())
        .orElse(null);
  }

  /** Requests a run; one that has already started does not count. */
  public Run ask() {
    Run before = read();
    long at = Math.max(time.nowMs(), before.beganAtMs() + 1);
    database.write(
        handle ->
            handle
                .createUpdate(
                    "UPDATE prune_runs SET asked_at = :at WHERE id = 1 AND asked_at < :at")
                .bind("at", at)
                .execute());
    return read();
  }

  /**
   * Whether a run should start now.
   *
   * @param dueMs when the last daily run was due
   */
  boolean isDue(Run run, long dueMs) {
    if (run.endedAtMs() == null) {
      return run.seenAtMs() < time.nowMs() - SILENT.toMillis();
    }
    return run.beganAtMs() < dueMs || run.isAsked();
  }

  /** Starts a run in place of that one; 0 if another instance was first, else its start time. */
  long begin(Run before) {
    long now = Math.max(time.nowMs(), before.beganAtMs() + 1);
    int taken =
        database.write(
            handle ->
                handle
                    .createUpdate(
                        """
                        UPDATE prune_runs SET began_at = :now, seen_at = :now, ended_at = NULL, applications = 0, messages = 0,
                          deliveries = 0, attempts = 0, payloads = 0, idempotency_keys = 0, secrets = 0
                        WHERE id = 1 AND began_at = :before AND seen_at = :seen
                        """)
                    .bind("now", now)
                    .bind("before", before.beganAtMs())
                    .bind("seen", before.seenAtMs())
                    .execute());
    return taken == 1 ? now : 0;
  }

  /** Writes the progress of the run that started then, unless another has started since. */
  void write(long beganAtMs, Pruner.Progress progress, boolean ended) {
    Pruner.Counts counts = progress.counts();
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE prune_runs SET seen_at = :now, ended_at = CASE WHEN :ended THEN :now ELSE ended_at END,
                      applications = :applications, messages = :messages, deliveries = :deliveries, attempts = :attempts,
                      payloads = :payloads, idempotency_keys = :keys, secrets = :secrets
                    WHERE id = 1 AND began_at = :began
                    """)
                .bind("now", time.nowMs())
                .bind("ended", ended)
                .bind("began", beganAtMs)
                .bind("applications", progress.applications())
                .bind("messages", counts.messages())
                .bind("deliveries", counts.deliveries())
                .bind("attempts", counts.attempts())
                .bind("payloads", counts.payloads())
                .bind("keys", counts.idempotencyKeys())
                .bind("secrets", counts.secrets())
                .execute());
  }
}
