package dev.postrider.api.ops;

import org.jspecify.annotations.Nullable;

/** Requests prune runs; an instance with the role worker or all executes them. */
public interface Pruning {
  /** Requests a run. */
  State ask();

  /** The last or current run. */
  State state();

  /**
   * The last or current prune run.
   *
   * @param askedAtMs when a run was last requested; null for never
   * @param endedAtMs null while it runs
   */
  record State(
      @Nullable Long askedAtMs,
      boolean waiting,
      long beganAtMs,
      @Nullable Long endedAtMs,
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
