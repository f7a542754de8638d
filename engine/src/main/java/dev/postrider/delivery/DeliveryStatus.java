package dev.postrider.delivery;

import java.util.Locale;

/**
 * The status of a delivery. The code is stored in the status column. {@link Transitions} defines
 * the allowed changes.
 */
public enum DeliveryStatus {
  /** Waiting for its time, or for its lane. */
  PENDING(0),
  /** Leased to an instance, which may be sending it right now. */
  SENDING(1),
  DELIVERED(2),
  /** The last attempt failed and a retry is scheduled; claimable like {@link #PENDING}. */
  FAILED(3),
  /** Not retried any more, with a reason. */
  DEAD_LETTER(4),
  /** Never to be sent, with a reason other than the response of the endpoint. */
  CANCELED(5);

  private final int code;

  DeliveryStatus(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static DeliveryStatus of(int code) {
    return switch (code) {
      case 0 -> PENDING;
      case 1 -> SENDING;
      case 2 -> DELIVERED;
      case 3 -> FAILED;
      case 4 -> DEAD_LETTER;
      case 5 -> CANCELED;
      default ->
          throw new IllegalArgumentException(
              "unknown delivery status code "
                  + code
                  + "; the row may have been written by a newer version");
    };
  }

  public boolean claimable() {
    return this == PENDING || this == FAILED;
  }

  /** Left only by a recorded manual action, if at all. */
  public boolean terminal() {
    return this == DELIVERED || this == DEAD_LETTER || this == CANCELED;
  }

  /** The name in the API, the dashboard and the docs. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
