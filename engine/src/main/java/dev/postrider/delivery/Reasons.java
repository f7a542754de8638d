package dev.postrider.delivery;

/** Why a delivery became {@code dead_letter} or {@code canceled}, as stored and shown. */
public final class Reasons {
  public static final String EXHAUSTED = "exhausted";
  public static final String RESEND_FAILED = "resend_failed";
  public static final String ENDPOINT_GONE = "endpoint_gone";
  public static final String ENDPOINT_FAILING = "endpoint_failing";
  public static final String EXPRESSION = "expression";
  public static final String CORRUPT = "corrupt";
  public static final String SECRET_UNREADABLE = "secret_unreadable";

  public static final String FILTERED = "filtered";

  /** The endpoint's transform said so. */
  public static final String TRANSFORM = "transform";

  public static final String ENDPOINT_DISABLED = "endpoint_disabled";
  public static final String ENDPOINT_DELETED = "endpoint_deleted";
  public static final String QUEUE_DELETED = "queue_deleted";
  public static final String PAYLOAD_EXPIRED = "payload_expired";
  public static final String EXPUNGED = "expunged";

  private Reasons() {}
}
