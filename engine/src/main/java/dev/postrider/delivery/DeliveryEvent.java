package dev.postrider.delivery;

import java.util.Locale;

/**
 * What can happen to a delivery. Which event is possible in which status, and what follows, is in
 * {@link Transitions}.
 */
public enum DeliveryEvent {
  /** An instance leases it. */
  CLAIM,
  /** The endpoint answered 2xx. */
  SUCCEED,
  /** The try failed and the schedule has a retry left. */
  FAIL_RETRY,
  /** The try failed and nothing is left to try. */
  EXHAUST,
  /** A filter, a disabled or deleted endpoint, an expunge or a user ends it unsent. */
  CANCEL,
  /** The holder gives the lease back unsent before any try was made; no attempt is spent. */
  RELEASE,
  /**
   * The holder gives the lease back unsent and a try of this schedule is on record; no attempt is
   * spent.
   */
  RELEASE_RETRY,
  /** The holder is gone; an attempt "outcome unknown" is written and the delivery tried again. */
  RESCUE,
  /** Its filter or transform threw. */
  EXPRESSION_ERROR,
  /** Its row, payload or secret cannot be read; only this delivery ends. */
  CORRUPT,
  /** The payload was gone when it was to be sent, by expunge or expiry. */
  PAYLOAD_EXPIRED,
  /** Someone asked for a fresh schedule; recorded. */
  REDRIVE;

  /** As the docs spell it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
