package dev.postrider.delivery;

import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * The values that end a lease: the new status of the delivery, and the attempt if one was made.
 *
 * @param tried 1 if the attempt counts against the schedule, else 0
 * @param body the bytes that the first attempt sent, if they are not the payload's
 */
public record Finish(
    LeaseRef lease,
    DeliveryStatus status,
    int tried,
    @Nullable Long nextAttemptAtMs,
    @Nullable Long finishedAtMs,
    @Nullable EndReason reason,
    byte @Nullable [] body,
    @Nullable Attempt attempt) {

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
    return status == DeliveryStatus.DEAD_LETTER ? finishedAtMs : null;
  }
}
