package dev.postrider.delivery;

import java.util.Locale;

/**
 * The events of a delivery. Which event is possible in which status, and the next status, is in
 * {@link Transitions}.
 */
public enum DeliveryEvent {
  /** An instance leases it. */
  CLAIM,
  /** The endpoint responded with 2xx. */
  SUCCEED,
  /** The attempt failed and the schedule has a retry left. */
  FAIL_RETRY,
  /** The attempt failed and no retry is left. */
  EXHAUST,
  /**
   * A filter, a disabled or deleted endpoint, its event TTL, an expunge or a caller ends it. If it
   * was being sent, its attempt did not succeed.
   */
  CANCEL,
  /** The holder releases the lease unsent before any attempt; no attempt is spent. */
  RELEASE,
  /**
   * The holder releases the lease unsent after an attempt of this schedule; no attempt is spent.
   */
  RELEASE_RETRY,
  /** The holder is dead; an attempt "outcome unknown" is recorded and the delivery is retried. */
  RESCUE,
  /** Its filter or transform failed. */
  EXPRESSION_ERROR,
  /** Its row, payload or secret cannot be read; only this delivery ends. */
  CORRUPT,
  /** The payload was deleted before the send, by expunge or expiry. */
  PAYLOAD_EXPIRED,
  /** A user requested a fresh schedule; recorded. */
  REDRIVE;

  /** The name in the docs. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
