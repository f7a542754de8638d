package dev.postrider.api.form;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.store.DeliveryView;
import java.util.List;

/**
 * Converts delivery statuses to the numbers of the Svix API. There, a delivery counts as sending
 * from its first attempt until it is delivered or a dead letter, also while it waits for a retry.
 */
public final class Statuses {
  public static final int SUCCESS = 0;
  static final int PENDING = 1;
  public static final int FAIL = 2;
  static final int SENDING = 3;
  public static final int CANCELED = 4;
  public static final String EXPANDED = "expanded_statuses";
  public static final List<Integer> ALL = List.of(SUCCESS, PENDING, FAIL, SENDING, CANCELED);

  private Statuses() {}

  public static int code(DeliveryStatus status) {
    return switch (status) {
      case DELIVERED -> SUCCESS;
      case PENDING -> PENDING;
      case DEAD_LETTER -> FAIL;
      case SENDING, FAILED -> SENDING;
      case CANCELED -> CANCELED;
    };
  }

  public static String text(int code) {
    return switch (code) {
      case SUCCESS -> "success";
      case PENDING -> "pending";
      case FAIL -> "fail";
      case SENDING -> "sending";
      default -> "canceled";
    };
  }

  /**
   * @param expanded whether the caller knows of canceled deliveries; to others they are shown as
   *     done, as Svix does
   */
  public static void write(JsonOut out, DeliveryView delivery, boolean expanded) {
    int own = code(delivery.status());
    int code = own == CANCELED && !expanded ? SUCCESS : own;
    out.number("status", code)
        .text("statusText", text(code))
        .timeOrNull("nextAttempt", delivery.nextAttemptAtMs())
        .text("deliveryStatus", delivery.status().text())
        .textOrNull("reason", delivery.reason());
  }
}
