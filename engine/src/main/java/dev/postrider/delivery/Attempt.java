package dev.postrider.delivery;

import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import org.jspecify.annotations.Nullable;

/**
 * One recorded attempt.
 *
 * @param number from 1, over all attempts of the delivery
 * @param sentHeaders as JSON, secret values masked; whole only where one attempt is read, lists
 *     carry them as they are stored
 * @param url for a receive from a queue, {@link #QUEUE} and the name of the queue
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record Attempt(
    Id id,
    Of of,
    int number,
    boolean manual,
    OutcomeClass outcome,
    @Nullable Integer statusCode,
    Timing timing,
    String url,
    @Nullable String sentHeaders,
    byte @Nullable [] response,
    @Nullable String error) {

  public static final String QUEUE = "queue:";

  /**
   * What an attempt is one of.
   *
   * @param laneId the endpoint or the queue
   */
  public record Of(Id messageId, Id deliveryId, Id laneId) {}

  /**
   * The times of an attempt.
   *
   * @param scheduledAtMs when it was due; null if a caller asked for it, and for queues
   * @param nextAttemptAtMs when the next attempt of the delivery was due; null for the last one
   */
  public record Timing(
      @Nullable Long scheduledAtMs, long sentAtMs, int latencyMs, @Nullable Long nextAttemptAtMs) {}

  public Id messageId() {
    return of.messageId();
  }

  public Id deliveryId() {
    return of.deliveryId();
  }

  public Id laneId() {
    return of.laneId();
  }

  public IdKind laneKind() {
    return url.startsWith(QUEUE) ? IdKind.QUEUE : IdKind.ENDPOINT;
  }

  public Attempt withSentHeaders(@Nullable String headers) {
    return new Attempt(
        id, of, number, manual, outcome, statusCode, timing, url, headers, response, error);
  }
}
