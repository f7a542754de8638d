package dev.postrider.delivery;

import java.util.Locale;

/** The state of the circuit breaker of a lane. The row of the lane stores the code of the state. */
public enum Circuit {
  /** Everything is sent. */
  CLOSED(0),
  /** Nothing is sent until the cooldown is over; then one probe. */
  OPEN(1),
  /** The single probe is in progress. */
  HALF_OPEN(2);

  private final int code;

  Circuit(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static Circuit of(int code) {
    return switch (code) {
      case 0 -> CLOSED;
      case 1 -> OPEN;
      case 2 -> HALF_OPEN;
      default ->
          throw new IllegalArgumentException(
              "unknown circuit state code "
                  + code
                  + "; the row may have been written by a newer version");
    };
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
