package dev.postrider.alert;

import dev.postrider.limit.RateLimiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits the number of alerts for one endpoint or source, and for one environment. Not thread-safe.
 */
final class AlertRateLimiter {
  static final Duration PER_SUBJECT = Duration.ofMinutes(1);

  /** As many at once, too. */
  static final int PER_ENVIRONMENT_AND_MINUTE = 30;

  static final int MAX_KEYS = 10_000;
  static final int NOT_NOW = -1;

  private static final long SUBJECT_MS = PER_SUBJECT.toMillis();
  private static final long MINUTE_MS = Duration.ofMinutes(1).toMillis();
  private static final long ENVIRONMENT_MS = MINUTE_MS / PER_ENVIRONMENT_AND_MINUTE;

  private final RateLimiter<String> subjects =
      new RateLimiter<>(MAX_KEYS, RateLimiter.WhenFull.FORGET_ALL);
  private final RateLimiter<String> environments =
      new RateLimiter<>(MAX_KEYS, RateLimiter.WhenFull.FORGET_ALL);

  /** How many alerts of a subject were left out since its last one. */
  private final Map<String, Integer> leftOut = new HashMap<>();

  /** How many were left out since the last, if an alert may go out now; else {@link #NOT_NOW}. */
  int acquire(String environment, String subject, long nowMs) {
    String key = environment + ' ' + subject;
    if (!subjects.isAvailable(key, nowMs, SUBJECT_MS, SUBJECT_MS)
        || environments.acquire(environment, nowMs, ENVIRONMENT_MS, MINUTE_MS) > 0) {
      if (leftOut.size() >= MAX_KEYS) {
        leftOut.clear();
      }
      leftOut.merge(key, 1, Integer::sum);
      return NOT_NOW;
    }
    subjects.acquire(key, nowMs, SUBJECT_MS, SUBJECT_MS);
    Integer before = leftOut.remove(key);
    return before == null ? 0 : before;
  }
}
