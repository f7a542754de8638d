package dev.postrider.api.ops;

import org.jspecify.annotations.Nullable;

/** Retention on demand, done by an instance that delivers. */
public interface Pruning {
  /** Wants a run. */
  State ask();

  /** The last run, or the one under way. */
  State state();

  /**
   * @param askedAtMs when somebody last asked for a run; null if nobody has
   * @param endedAtMs null while it goes on
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
