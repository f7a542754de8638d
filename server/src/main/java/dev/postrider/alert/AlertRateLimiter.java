package dev.postrider.alert;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** How often one subject, and one environment, may be told about. For one thread. */
final class AlertRateLimiter {
  static final Duration PER_SUBJECT = Duration.ofMinutes(1);
  static final int PER_ENVIRONMENT_AND_MINUTE = 30;
  static final int MAX_SUBJECTS = 10_000;
  static final int NOT_NOW = -1;

  private record Stand(long toldAtMs, int leftOut) {}

  private record Minute(long minute, int told) {}

  private final Map<String, Stand> subjects = new HashMap<>();
  private final Map<String, Minute> environments = new HashMap<>();

  /** How many were left out since the last, if this may be told now; else {@link #NOT_NOW}. */
  int tell(String environment, String subject, long nowMs) {
    if (subjects.size() > MAX_SUBJECTS) {
      subjects.clear();
    }
    String key = environment + ' ' + subject;
    Stand stand = subjects.get(key);
    long minute = nowMs / 60_000;
    Minute told = environments.get(environment);
    boolean full =
        told != null && told.minute() == minute && told.told() >= PER_ENVIRONMENT_AND_MINUTE;
    boolean recent = stand != null && nowMs - stand.toldAtMs() < PER_SUBJECT.toMillis();
    if (full || recent) {
      subjects.put(
          key, stand == null ? new Stand(0, 1) : new Stand(stand.toldAtMs(), stand.leftOut() + 1));
      return NOT_NOW;
    }
    environments.put(
        environment,
        new Minute(minute, told == null || told.minute() != minute ? 1 : told.told() + 1));
    subjects.put(key, new Stand(nowMs, 0));
    return stand == null ? 0 : stand.leftOut();
  }
}
