package dev.postrider.workflow.definition;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when a step is tried again.
 *
 * @param max the retries after the first try
 * @param errors after which errors; {@link ErrorClass#ALL} for each that is retryable
 * @param first the delay before the first retry
 * @param factor by which each delay is longer than the one before
 * @param most the longest delay
 */
public record Retry(int max, Set<ErrorClass> errors, Duration first, double factor, Duration most) {
  public static final Duration DEFAULT_FIRST = Duration.ofSeconds(1);
  public static final double DEFAULT_FACTOR = 2;
  public static final Duration DEFAULT_MOST = Duration.ofHours(1);

  /** No retry. */
  public static final Retry NONE =
      new Retry(0, Set.of(ErrorClass.ALL), DEFAULT_FIRST, DEFAULT_FACTOR, DEFAULT_MOST);

  private static final double JITTER = 0.1;

  public Retry {
    errors = Set.copyOf(errors);
  }

  /**
   * The delay before the next try; null if there is none.
   *
   * @param retries how many there were already
   * @param error why the last try failed
   * @param jitter from 0 to 1: moves the delay by up to 10 % either way
   */
  public @Nullable Duration delay(int retries, ErrorClass error, double jitter) {
    if (retries >= max || !covers(error)) {
      return null;
    }
    double exact = Math.min(first.toMillis() * Math.pow(factor, retries), (double) most.toMillis());
    return Duration.ofMillis(Math.round(exact * (1 + JITTER * (2 * jitter - 1))));
  }

  private boolean covers(ErrorClass error) {
    return error.isRetryable() && (errors.contains(error) || errors.contains(ErrorClass.ALL));
  }
}
