package dev.postrider.tenant;

import org.jspecify.annotations.Nullable;

/**
 * Limits of the endpoints of an application. Credentials of the application may set values within
 * it; only API keys of the environment may raise it. Larger stored values are capped when they are
 * read for sending.
 *
 * @param maxInFlight concurrent requests to one endpoint; null means the default
 * @param timeoutMs of one attempt; null means the default
 * @param fifo endpoints may be ordered
 */
public record Grant(@Nullable Integer maxInFlight, @Nullable Integer timeoutMs, boolean fifo) {
  public static final int DEFAULT_MAX_IN_FLIGHT = 100;
  public static final int DEFAULT_TIMEOUT_MS = 15_000;
  public static final Grant DEFAULT = new Grant(null, null, false);

  public int mostInFlight() {
    return maxInFlight == null ? DEFAULT_MAX_IN_FLIGHT : maxInFlight;
  }

  public int longestTimeoutMs() {
    return timeoutMs == null ? DEFAULT_TIMEOUT_MS : timeoutMs;
  }

  /** An endpoint's own value within this grant; null if it has none. */
  public @Nullable Integer inFlight(@Nullable Integer wanted) {
    return wanted == null ? null : Integer.valueOf(Math.min(wanted, mostInFlight()));
  }

  /** An endpoint's own value within this grant; null if it has none. */
  public @Nullable Integer timeout(@Nullable Integer wanted) {
    return wanted == null ? null : Integer.valueOf(Math.min(wanted, longestTimeoutMs()));
  }

  /** This grant, raised to the values of the endpoint. */
  public Grant raisedTo(Grant endpoint) {
    return new Grant(
        larger(maxInFlight, endpoint.maxInFlight, DEFAULT_MAX_IN_FLIGHT),
        larger(timeoutMs, endpoint.timeoutMs, DEFAULT_TIMEOUT_MS),
        fifo || endpoint.fifo);
  }

  private static @Nullable Integer larger(
      @Nullable Integer granted, @Nullable Integer wanted, int byDefault) {
    int most = granted == null ? byDefault : granted;
    return wanted != null && wanted > most ? wanted : granted;
  }

  /** This grant, with the values that the other one sets. */
  public Grant overriddenBy(Grant other) {
    return new Grant(
        other.maxInFlight == null ? maxInFlight : other.maxInFlight,
        other.timeoutMs == null ? timeoutMs : other.timeoutMs,
        fifo || other.fifo);
  }

  public boolean covers(Grant endpoint) {
    return raisedTo(endpoint).equals(this);
  }
}
