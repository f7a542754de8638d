package dev.postrider.api.ops;

import org.jspecify.annotations.Nullable;

/** Prune runs on request, executed by an instance that delivers. */
public interface Pruning {
  /** Requests a run. */
  State ask();

  /** The last or current run. */
  State state();

  /**
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

  /** What has been removed. */
  record Removed(
      long messages,
      long deliveries,
      long attempts,
      long payloads,
      long idempotencyKeys,
      long secrets) {}
}
