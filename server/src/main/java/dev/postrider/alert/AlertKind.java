package dev.postrider.alert;

import java.util.Locale;

/** What is told. */
public enum AlertKind {
  DEAD_LETTER,
  VERIFICATION_FAILURE,
  REQUEST_REJECTED,
  CIRCUIT_OPENED,
  LAG;

  static final String PREFIX = "alert.";

  /** As callers spell it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The type of its messages. */
  public String eventType() {
    return PREFIX + text();
  }
}
