package dev.postrider.engine.services;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Requests prune runs; an instance with the role worker or all executes them. */
public interface Pruning {
  /** Requests a run. */
  State ask();

  /** The last or current run. */
  State state();

  /** Prunes these too; to be called before the start. */
  void also(Aging rows);

  /** Rows of the server that have their own retention. */
  @FunctionalInterface
  interface Aging {
    /**
     * Deletes up to that many that are past their retention, and returns the number of deleted
     * rows.
     */
    int prune(Instant now, int limit);
  }

  /**
   * The last or current prune run.
   *
   * @param askedAt when a run was last requested; null for never
   * @param endedAt null while it runs
   */
  record State(
      @Nullable Instant askedAt,
      boolean waiting,
      Instant beganAt,
      @Nullable Instant endedAt,
      long applications,
      Removed removed) {}

  /** The number of rows that the run has deleted so far. */
  record Removed(
      long messages,
      long deliveries,
      long attempts,
      long payloads,
      long idempotencyKeys,
      long secrets) {}
}
