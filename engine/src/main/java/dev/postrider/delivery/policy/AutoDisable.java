package dev.postrider.delivery.policy;

import java.time.Duration;

/**
 * Disables an endpoint that only fails. The rule measures the time from the first failed attempt
 * after the last success to the latest failed attempt. A success, or enabling the endpoint again,
 * starts over. So does a period without attempts: nothing is known about the endpoint in the
 * meantime.
 */
public final class AutoDisable {
  /**
   * The period without attempts that starts over is at least this long: retries may be 24 h apart,
   * plus jitter.
   */
  public static final Duration MIN_SILENCE = Duration.ofDays(2);

  /**
   * The failure state of an endpoint. It is kept while the rule is off, too: it is also the health
   * of the endpoint.
   *
   * @param failingSinceMs the first failed attempt after the last success or period without
   *     attempts
   */
  public record Failing(long failingSinceMs, long lastFailureMs) {
    public static final Failing NONE = new Failing(0, 0);
  }

  /**
   * The setting of the rule.
   *
   * @param after how long an endpoint may fail before it is disabled; zero turns the rule off
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

  /** The new failure state of the endpoint, and whether to disable the endpoint now. */
  public record Judgement(Failing failing, boolean disable) {}

  private AutoDisable() {}

  /** An attempt failed; whether it was the last of the delivery makes no difference. */
  public static Judgement onExhaustedOrFailed(Failing before, long nowMs, Config config) {
    if (before.equals(Failing.NONE) || nowMs - before.lastFailureMs() > config.silenceMs()) {
      return new Judgement(new Failing(nowMs, nowMs), false);
    }
    boolean disable = !config.off() && nowMs - before.failingSinceMs() >= config.after().toMillis();
    return new Judgement(new Failing(before.failingSinceMs(), nowMs), disable);
  }

  public static Failing onSuccess(Failing before) {
    return before.equals(Failing.NONE) ? before : Failing.NONE;
  }
}
