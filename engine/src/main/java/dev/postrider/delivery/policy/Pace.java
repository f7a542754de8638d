package dev.postrider.delivery.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reduces the concurrency of a lane when its endpoint responds with 429, 502 or 504: half as many
 * in flight, and a pause before new attempts. Each success raises the cap by one.
 */
public final class Pace {
  public static final Duration MIN_PAUSE = Duration.ofSeconds(5);

  private Pace() {}

  /**
   * The responses of one burst are one request to slow down: during the pause, further ones prolong
   * it but do not halve again, otherwise a hundred parallel 429 would always end at a cap of 1.
   */
  public static LaneState onSlowDown(
      LaneState lane, int configuredCap, @Nullable Duration retryAfter, long nowMs) {
    long pausedUntil = nowMs + RetryAfter.clamp(retryAfter, MIN_PAUSE).toMillis();
    boolean alreadySlowed = nowMs < lane.slowUntilMs();
    int cap =
        alreadySlowed ? lane.reducedCap() : reduced(lane.cap(configuredCap) / 2, configuredCap);
    return lane.withPace(Math.max(pausedUntil, lane.slowUntilMs()), cap);
  }

  public static LaneState onSuccess(LaneState lane, int configuredCap) {
    return lane.reducedCap() == 0
        ? lane
        : lane.withPace(lane.slowUntilMs(), reduced(lane.reducedCap() + 1, configuredCap));
  }

  /** The stored form: at least 1, and 0 once it no longer limits. */
  private static int reduced(int cap, int configuredCap) {
    int floored = Math.max(1, cap);
    return floored >= configuredCap ? 0 : floored;
  }
}
