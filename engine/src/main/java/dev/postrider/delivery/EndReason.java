package dev.postrider.delivery;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The reasons for which a delivery became {@code dead_letter} or {@code canceled}. */
public enum EndReason {
  EXHAUSTED("exhausted"),
  RESEND_FAILED("resend_failed"),
  ENDPOINT_GONE("endpoint_gone"),
  ENDPOINT_FAILING("endpoint_failing"),
  EXPRESSION("expression"),
  CORRUPT("corrupt"),
  SECRET_UNREADABLE("secret_unreadable"),
  FILTERED("filtered"),
  /** The endpoint's transform canceled it. */
  TRANSFORM("transform"),
  ENDPOINT_DISABLED("endpoint_disabled"),
  ENDPOINT_DELETED("endpoint_deleted"),
  QUEUE_DELETED("queue_deleted"),
  PAYLOAD_EXPIRED("payload_expired"),
  /** Its first attempt did not start within the event TTL. */
  EXPIRED("expired"),
  EXPUNGED("expunged"),
  /** A caller canceled it. A delivery that is being sent has this reason until the attempt ends. */
  CANCEL_REQUESTED("cancel_requested");

  private static final Map<String, EndReason> BY_TEXT = new HashMap<>();

  static {
    for (EndReason reason : values()) {
      BY_TEXT.put(reason.text, reason);
    }
  }

  private final String text;

  EndReason(String text) {
    this.text = text;
  }

  /** As it is stored and shown. */
  public String text() {
    return text;
  }

  /** The text of a reason, if there is one. */
  public static @Nullable String textOf(@Nullable EndReason reason) {
    return reason == null ? null : reason.text;
  }

  /** The reason that is stored so; null for none. */
  public static @Nullable EndReason of(@Nullable String text) {
    if (text == null) {
      return null;
    }
    EndReason reason = BY_TEXT.get(text);
    if (reason == null) {
      throw new IllegalArgumentException("\"" + text + "\" is not a reason of a delivery's end");
    }
    return reason;
  }
}
