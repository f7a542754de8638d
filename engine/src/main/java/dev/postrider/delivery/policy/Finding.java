package dev.postrider.delivery.policy;

/** What a try showed, as far as retry, breaker and pace care. */
public enum Finding {
  /** 2xx. */
  SUCCESS,
  /** Network error, timeout, TLS error, or a 5xx other than 502 and 504: the endpoint is down. */
  RETRYABLE,
  /** Any other answer (3xx, 4xx): retried, but the endpoint is up. */
  REJECTED,
  /** 429: up, and asks for less. */
  SLOW_DOWN,
  /** 502 or 504: down behind its gateway, and less may help. */
  OVERLOADED,
  /** 410: nothing more is wanted there. */
  GONE,
  /** The address guard refused the target. */
  BLOCKED,
  /** Our own failure; says nothing about the endpoint. */
  OUR_FAULT;

  /** The finding for an answer; a missing answer is {@link #RETRYABLE}. */
  public static Finding ofStatus(int httpStatus) {
    return switch (httpStatus) {
      case 410 -> GONE;
      case 429 -> SLOW_DOWN;
      case 502, 504 -> OVERLOADED;
      default -> {
        if (httpStatus >= 200 && httpStatus < 300) {
          yield SUCCESS;
        }
        yield httpStatus >= 300 && httpStatus < 500 ? REJECTED : RETRYABLE;
      }
    };
  }

  public boolean countsForBreaker() {
    return this == RETRYABLE || this == OVERLOADED;
  }

  public boolean slowsDown() {
    return this == SLOW_DOWN || this == OVERLOADED;
  }
}
