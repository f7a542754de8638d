package dev.postrider.alert;

import java.util.Locale;

/** The kinds of alerts, such as dead letters and opened circuits. */
public enum AlertKind {
  DEAD_LETTER,
  VERIFICATION_FAILURE,
  REQUEST_REJECTED,
  CIRCUIT_OPENED,
  LAG;

  static final String PREFIX = "alert.";

  /** The name in the API. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The event type of its messages. */
  public String eventType() {
    return PREFIX + text();
  }
}
