package dev.postrider.limit;

/**
 * A throttle that needs one timestamp (generic cell rate algorithm): the theoretical arrival time
 * (TAT) of the next token. In any window at most rate × window + burst tokens are granted,
 * regardless of the number of callers, as long as the timestamp is read and written under one lock.
 * Fractions of a microsecond are rounded against the taker, so the bound is exact.
 *
 * <p>The static methods are the algorithm itself, without an object and in a unit of time of the
 * caller's choice; {@link RateLimiter} and {@link SendRate} use them too.
 */
public record Gcra(double ratePerSecond, double burst) {
  /** Clocks of instances that follow the database differ by less than this. */
  private static final double MAX_SKEW_MICROS = 5_000_000;

  private static final double MICROS = 1_000_000;

  /**
   * The result of taking tokens.
   *
   * @param nextAtMicros when the next token is available; not before now
   */
  public record Take(int granted, long newTatMicros, long nextAtMicros) {}

  public Gcra {
    if (!(ratePerSecond > 0) || Double.isInfinite(ratePerSecond)) {
      throw new IllegalArgumentException(
          "the rate of the throttle is " + ratePerSecond + "; use more than 0 per second");
    }
    if (!(burst >= 1) || Double.isInfinite(burst)) {
      throw new IllegalArgumentException(
          "the burst of the throttle is " + burst + "; use 1 or more");
    }
  }

  /**
   * The throttle of an endpoint or application. The burst is a tenth of a second's tokens: enough
   * that claim rounds up to 100 ms apart still reach the full rate, since unused tokens beyond the
   * burst are lost; not more, because a receiver that asked for r per second gets at most 1.1 r in
   * any second. At least 1, or nothing would ever be granted.
   */
  public static Gcra perSecond(double ratePerSecond) {
    return new Gcra(ratePerSecond, Math.max(1, ratePerSecond / 10));
  }

  /** Takes up to {@code wanted} tokens. A timestamp of 0 means that the throttle was never used. */
  public Take take(long tatMicros, long nowMicros, int wanted) {
    double interval = MICROS / ratePerSecond;
    double limit = burst * interval;
    long start = nowMicros + lead(tatMicros, nowMicros, limit, MAX_SKEW_MICROS);
    int granted = granted(start - nowMicros, interval, limit, wanted);
    long newTat = granted == 0 ? start : start + (long) Math.ceil(granted * interval);
    long nextAt = newTat + (long) Math.ceil(interval - limit);
    // After a refusal strictly later, so that a rounding error can never make a caller spin.
    return new Take(granted, newTat, Math.max(granted == 0 ? nowMicros + 1 : nowMicros, nextAt));
  }

  /**
   * How far the TAT is ahead of now. If it is further ahead than any grant could bring it, a slower
   * rate or a clock that was set back left it there; it counts as full then, or a taker could wait
   * for hours.
   *
   * @param limit how far it may be ahead: burst × interval
   * @param maxBeyond how far it may be ahead of that: the difference between the clocks of its
   *     takers, or tokens taken ahead of their time
   */
  static long lead(long tat, long now, double limit, double maxBeyond) {
    long lead = Math.max(tat - now, 0);
    return lead > limit + maxBeyond ? (long) Math.ceil(limit) : lead;
  }

  /** How long until the next token; 0 if there is one. */
  static long wait(long lead, long interval, long limit) {
    return Math.max(0, lead + interval - limit);
  }

  /** How many of the wanted tokens there are. */
  static int granted(long lead, double interval, double limit, int wanted) {
    return (int) Math.clamp(Math.floor((limit - lead) / interval), 0, Math.max(0, wanted));
  }
}
