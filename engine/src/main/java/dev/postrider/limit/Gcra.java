package dev.postrider.limit;

/**
 * A throttle that needs one timestamp (generic cell rate algorithm): the theoretical arrival time
 * of the next token. In any window at most rate × window + burst tokens are granted, whoever asks,
 * as long as the timestamp is read and written under one row lock. Fractions of a microsecond are
 * rounded against the taker, so the bound is exact.
 */
public record Gcra(double ratePerSecond, double burst) {
  /** Clocks of instances that follow the database differ by less than this. */
  private static final double MAX_SKEW_MICROS = 5_000_000;

  private static final double MICROS = 1_000_000;

  /**
   * @param nextAtMicros when the next token can be had; not before now
   */
  public record Take(int granted, long newTatMicros, long nextAtMicros) {}

  public Gcra {
    if (!(ratePerSecond > 0) || Double.isInfinite(ratePerSecond)) {
      throw new IllegalArgumentException(
          "the throttle's rate is " + ratePerSecond + "; give more than 0 per second");
    }
    if (!(burst >= 1) || Double.isInfinite(burst)) {
      throw new IllegalArgumentException("the throttle's burst is " + burst + "; give 1 or more");
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

  /** Takes up to {@code wanted} tokens. A timestamp of 0 is that of a throttle never used. */
  public Take take(long tatMicros, long nowMicros, int wanted) {
    double interval = MICROS / ratePerSecond;
    double limit = burst * interval;
    long start = Math.max(tatMicros, nowMicros);
    if (start - nowMicros > limit + MAX_SKEW_MICROS) {
      // Left behind by a slower rate or a clock that was set back; without this a lane could wait
      // for hours.
      start = nowMicros + (long) Math.ceil(limit);
    }
    double room = Math.floor((limit - (start - nowMicros)) / interval);
    int granted = (int) Math.clamp(room, 0, Math.max(0, wanted));
    long newTat = granted == 0 ? start : start + (long) Math.ceil(granted * interval);
    long nextAt = newTat + (long) Math.ceil(interval - limit);
    // After a refusal strictly later, so that a rounding error can never make a caller spin.
    return new Take(granted, newTat, Math.max(granted == 0 ? nowMicros + 1 : nowMicros, nextAt));
  }
}
