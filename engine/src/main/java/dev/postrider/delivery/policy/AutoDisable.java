package dev.postrider.delivery.policy;

import java.time.Duration;

/**
 * Disables an endpoint that does nothing but fail. Counted is the time from the first failed try
 * after the last success to the latest failed try. A success, or enabling the endpoint again,
 * starts over. So does a silence: with no try for that long, nobody knows how the endpoint was in
 * the meantime.
 */
public final class AutoDisable {
  /** The silence that starts over is at least this long: retries may be 24 h apart, plus jitter. */
  public static final Duration MIN_SILENCE = Duration.ofDays(2);

  /**
   * What an endpoint remembers of its failures.
   *
   * @param failingSinceMs the first failed try after the last success or silence
   */
  public record Failing(long failingSinceMs, long lastFailureMs) {
    public static final Failing NONE = new Failing(0, 0);
  }

  /**
   * @param after how long an endpoint may fail before it is disabled; zero switches the rule off
   */
  public record Config(Duration after) {
    public static final Config DEFAULT = new Config(Duration.ofDays(5));
    public static final Config OFF = new Config(Duration.ZERO);

    public Config {
      if (after.isNegative()) {
        throw new IllegalArgumentException(
            "auto-disable after "
                + after
                + " is negative; use a duration such as 5d, or 0s to turn auto-disable off");
      }
    }

    public boolean off() {
      return after.isZero();
    }

    long silenceMs() {
      return Math.max(after.toMillis(), MIN_SILENCE.toMillis());
    }
  }

  /** The endpoint's new memory, and whether to disable it now. */
  public record Judgement(Failing failing, boolean disable) {}

  private AutoDisable() {}

  /** A try failed; whether it was the delivery's last makes no difference. */
  public static Judgement onExhaustedOrFailed(Failing before, long nowMs, Config config) {
    if (config.off()) {
      return new Judgement(Failing.NONE, false);
    }
    if (before.equals(Failing.NONE) || nowMs - before.lastFailureMs() > config.silenceMs()) {
      return new Judgement(new Failing(nowMs, nowMs), false);
    }
    boolean disable = nowMs - before.failingSinceMs() >= config.after().toMillis();
    return new Judgement(new Failing(before.failingSinceMs(), nowMs), disable);
  }

  public static Failing onSuccess(Failing before) {
    return before.equals(Failing.NONE) ? before : Failing.NONE;
  }
}
