package dev.postrider.delivery.http;

/** The class of an outcome; stored with each attempt, so the codes never change meaning. */
public enum OutcomeClass {
  SUCCESS(0),
  HTTP(1),
  TIMEOUT(2),
  NETWORK(3),
  TLS(4),
  BLOCKED(5),
  UNKNOWN(6),
  /** A consumer of a queue returned it. */
  RETURNED(7),
  /**
   * Not an attempt: the lease that a delivery got at its insert ended untried. It is in no list, no
   * count and no statistic.
   */
  VOID(8);

  private static final OutcomeClass[] BY_CODE = values();

  private final int code;

  OutcomeClass(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static OutcomeClass ofCode(int code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException(
          "unknown outcome class code " + code + "; expected 0 to " + (BY_CODE.length - 1));
    }
    return BY_CODE[code];
  }
}
