package dev.postrider.delivery;

import java.util.Collections;
import java.util.List;

/**
 * Counts of one lane over a period: messages, results of deliveries, and latency.
 *
 * @param accepted messages, in the tally of an application's zero lane; else their deliveries
 * @param delivered deliveries that reached their endpoint
 * @param failed failed attempts
 * @param deadLetter dead letters
 * @param latencyMs of all attempts together
 * @param buckets attempts by latency, one number for each of {@link #BOUNDS_MS} and one for beyond
 */
public record Tally(
    long accepted,
    long delivered,
    long failed,
    long deadLetter,
    long canceled,
    long latencyMs,
    List<Long> buckets) {
  /** The upper bounds of the latency buckets. */
  public static final List<Integer> BOUNDS_MS =
      List.of(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000, 60_000);

  public static final Tally NONE =
      new Tally(0, 0, 0, 0, 0, 0, Collections.nCopies(BOUNDS_MS.size() + 1, 0L));

  private static final double P95 = 0.95;

  /** The number of attempts. */
  public long attempts() {
    return buckets.stream().mapToLong(Long::longValue).sum();
  }

  /** Of an attempt; 0 if there was none. */
  public long meanLatencyMs() {
    long attempts = attempts();
    return attempts == 0 ? 0 : Math.round((double) latencyMs / attempts);
  }

  /**
   * The 95th percentile of the latency, interpolated within its bucket. 0 if there was no attempt.
   */
  public long p95LatencyMs() {
    double wanted = attempts() * P95;
    double seen = 0;
    for (int i = 0; i < BOUNDS_MS.size(); i++) {
      long here = buckets.get(i);
      if (here > 0 && seen + here >= wanted) {
        int from = i == 0 ? 0 : BOUNDS_MS.get(i - 1);
        return Math.round(from + (BOUNDS_MS.get(i) - from) * ((wanted - seen) / here));
      }
      seen += here;
    }
    return attempts() == 0 ? 0 : BOUNDS_MS.getLast();
  }
}
