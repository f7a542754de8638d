package dev.postrider.delivery.policy;

/** The class of an attempt result for retries, circuit breaker and concurrency. */
public enum Finding {
  /** 2xx. */
  SUCCESS,
  /** Network error, timeout, TLS error, or a 5xx other than 502 and 504: the endpoint is down. */
  RETRYABLE,
  /** Any other response (3xx, 4xx): retried, but the endpoint is up. */
  REJECTED,
  /** 429: up, and asks for fewer requests. */
  SLOW_DOWN,
  /** 502 or 504: down behind its gateway; fewer requests may help. */
  OVERLOADED,
  /** 410: the endpoint wants no further requests. */
  GONE,
  /** The address guard rejected the target. */
  BLOCKED,
  /** An internal failure; indicates nothing about the endpoint. */
  OUR_FAULT;

  /** The class of a response; a missing response is {@link #RETRYABLE}. */
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
}
