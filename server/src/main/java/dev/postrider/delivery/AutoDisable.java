package dev.postrider.delivery;

import java.time.Duration;

/**
 * Disables an endpoint that has done nothing but fail for days. One bad night must not do it, so
 * the clock does not start at the first failure: it starts when two failures at most 24 h apart are
 * also at least 12 h apart with no success between, and runs for 5 days from there. Any success
 * clears everything. A silence longer than those 5 days clears it too: nobody knows how the
 * endpoint was meanwhile.
 */
public final class AutoDisable {
  /** Failures further apart than this do not belong together. */
  public static final Duration WINDOW = Duration.ofHours(24);

  /** Failures closer together than this are one outage. */
  public static final Duration SPREAD = Duration.ofHours(12);

  /**
   * What an endpoint remembers of its failures.
   *
   * @param failingSinceMs once {@code spreadSeen}, when the clock started; before, the first
   *     failure of the window
   * @param spreadSeen whether the clock runs
   */
  public record Failing(long failingSinceMs, long lastFailureMs, boolean spreadSeen) {
    public static final Failing NONE = new Failing(0, 0, false);
  }

  /**
   * @param after how long the clock runs before the endpoint is disabled; zero switches the rule
   *     off
   */
  public record Config(Duration after) {
    public static final Config DEFAULT = new Config(Duration.ofDays(5));
    public static final Config OFF = new Config(Duration.ZERO);

    public Config {
      if (after.isNegative()) {
        throw new IllegalArgumentException(
            "auto-disable after "
                + after
                + " is negative; give a duration such as 5d, or 0s to switch it off");
      }
    }

    public boolean off() {
      return after.isZero();
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
    boolean silent =
        nowMs - before.lastFailureMs() > Math.max(config.after().toMillis(), WINDOW.toMillis());
    if (before.equals(Failing.NONE) || silent) {
      return new Judgement(new Failing(nowMs, nowMs, false), false);
    }
    if (before.spreadSeen()) {
      boolean disable = nowMs - before.failingSinceMs() >= config.after().toMillis();
      return new Judgement(new Failing(before.failingSinceMs(), nowMs, true), disable);
    }
    return new Judgement(beforeClock(before, nowMs), false);
  }

  public static Failing onSuccess(Failing before) {
    return before.equals(Failing.NONE) ? before : Failing.NONE;
  }

  /**
   * Two timestamps suffice: if the window's first failure is too old, all later ones lie within 12
   * h of it (else the clock would run), so the last one is the only other candidate for the pair.
   */
  private static Failing beforeClock(Failing before, long nowMs) {
    if (isPair(before.failingSinceMs(), nowMs) || isPair(before.lastFailureMs(), nowMs)) {
      return new Failing(nowMs, nowMs, true);
    }
    boolean stale = nowMs - before.failingSinceMs() > WINDOW.toMillis();
    return new Failing(stale ? nowMs : before.failingSinceMs(), nowMs, false);
  }

  private static boolean isPair(long earlierMs, long laterMs) {
    long apart = laterMs - earlierMs;
    return apart >= SPREAD.toMillis() && apart <= WINDOW.toMillis();
  }
}
