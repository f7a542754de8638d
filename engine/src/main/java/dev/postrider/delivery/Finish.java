package dev.postrider.delivery;

import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * What is written at the end of a lease: what follows from it for the delivery, and the attempt if
 * one was made.
 *
 * @param tried 1 if the attempt counts against the schedule, else 0
 * @param lost nothing was written, because the lease was no longer held
 */
public record Finish(
    LeaseRef lease,
    Verdict verdict,
    int tried,
    @Nullable Attempt attempt,
    long nowMs,
    boolean lost) {

  public static Finish tried(LeaseRef lease, Verdict verdict, Attempt attempt, long nowMs) {
    return new Finish(lease, verdict, 1, attempt, nowMs, false);
  }

  /** No attempt counts against the schedule; one whose outcome is unknown may be recorded. */
  public static Finish untried(
      LeaseRef lease, Verdict verdict, @Nullable Attempt unknown, long nowMs) {
    return new Finish(lease, verdict, 0, unknown, nowMs, false);
  }

  public Finish asLost() {
    return new Finish(lease, verdict, tried, attempt, nowMs, true);
  }

  public DeliveryStatus status() {
    return verdict.status();
  }

  public @Nullable Long nextAttemptAtMs() {
    return verdict.nextAttemptAtMs();
  }

  public @Nullable EndReason reason() {
    return verdict.reason();
  }

  public @Nullable Long finishedAtMs() {
    return status().terminal() ? nowMs : null;
  }

  /**
   * Attempt number 1, which ends the lease of a delivery without a row: the one that was made, or a
   * void one with the id of the delivery.
   */
  public Attempt first() {
    return attempt != null
        ? attempt
        : new Attempt(
            lease.deliveryId(),
            OutcomeClass.VOID.code(),
            null,
            0,
            lease.messageId().epochMs(),
            "",
            null,
            null,
            null,
            null);
  }

  /** How many rescues in a row it had, if the delivery has no row yet. */
  public int rescues() {
    return attempt != null && attempt.outcome() == OutcomeClass.UNKNOWN.code() ? 1 : 0;
  }

  /** One attempt, as recorded. The number is the version of the lease. */
  public record Attempt(
      Id id,
      int outcome,
      @Nullable Integer statusCode,
      int latencyMs,
      long sentAtMs,
      String url,
      @Nullable String signature,
      @Nullable String sentHeaders,
      byte @Nullable [] response,
      @Nullable String error) {}

  public @Nullable Long deadAtMs() {
    return status() == DeliveryStatus.DEAD_LETTER ? nowMs : null;
  }
}
