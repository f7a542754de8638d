package dev.postrider.bench.sink;

/**
 * The kinds of responses of the sink; the first segment of the path of a request selects one:
 * {@code /ok/…, /slow-2000/…, /hang/…, /fail/…}.
 */
public enum Answer {
  OK,
  /** 200 after the milliseconds that follow the dash. */
  SLOW,
  /** Never. */
  HANG,
  /** 500. */
  FAIL;

  private static final int PATH = "POST /".length();

  /** Reads the start of a request; what is unknown is answered like {@link #OK}. */
  static Answer of(byte[] bytes, int from) {
    return switch (bytes[from + PATH]) {
      case 's' -> SLOW;
      case 'h' -> HANG;
      case 'f' -> FAIL;
      default -> OK;
    };
  }

  static long delayMs(byte[] bytes, int from) {
    long value = 0;
    for (int i = from + PATH + "slow-".length(); bytes[i] >= '0' && bytes[i] <= '9'; i++) {
      value = value * 10 + (bytes[i] - '0');
    }
    return value;
  }
}
