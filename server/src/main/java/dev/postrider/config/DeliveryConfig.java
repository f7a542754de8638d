package dev.postrider.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How deliveries leave.
 *
 * @param retrySchedule n delays mean n retries
 * @param requestTimeout the total deadline of one try
 * @param maxResponseBytes how much of an answer is kept
 */
public record DeliveryConfig(
    List<Duration> retrySchedule,
    Duration requestTimeout,
    Limits limits,
    int maxResponseBytes,
    Optional<EgressProxy> egressProxy,
    String userAgent,
    SignatureHeaders signatureHeaders) {
  /** The spelling of the signature headers. */
  public enum SignatureHeaders {
    WEBHOOK,
    SVIX,
    BOTH
  }

  /** What one instance holds and sends at once. */
  public record Limits(
      int maxInFlight, int maxInFlightPerEndpoint, int maxLeased, long maxLeasedBytes) {
    public Limits {
      Settings.MAX_IN_FLIGHT.check(maxInFlight);
      Settings.MAX_IN_FLIGHT_PER_ENDPOINT.check(maxInFlightPerEndpoint);
      Settings.MAX_LEASED.check(maxLeased);
      Settings.MAX_LEASED_BYTES.check(maxLeasedBytes);
      Checks.notAbove(
          Settings.MAX_IN_FLIGHT_PER_ENDPOINT,
          maxInFlightPerEndpoint,
          Settings.MAX_IN_FLIGHT,
          maxInFlight);
    }
  }

  public DeliveryConfig {
    retrySchedule = List.copyOf(retrySchedule);
    Settings.RETRY_SCHEDULE.check(retrySchedule);
    Settings.REQUEST_TIMEOUT.check(requestTimeout);
    Settings.MAX_RESPONSE.check((long) maxResponseBytes);
    Settings.USER_AGENT.check(userAgent);
  }

  /** As it was written: {@code 5s,30s,2m}; empty for no retries. */
  public String retryScheduleText() {
    return retrySchedule.stream().map(Quantities::show).collect(Collectors.joining(","));
  }

  static DeliveryConfig from(Values values) {
    return new DeliveryConfig(
        values.get(Settings.RETRY_SCHEDULE),
        values.get(Settings.REQUEST_TIMEOUT),
        new Limits(
            values.get(Settings.MAX_IN_FLIGHT),
            values.get(Settings.MAX_IN_FLIGHT_PER_ENDPOINT),
            values.get(Settings.MAX_LEASED),
            values.get(Settings.MAX_LEASED_BYTES)),
        Math.toIntExact(values.get(Settings.MAX_RESPONSE)),
        values.get(Settings.EGRESS_PROXY),
        values.get(Settings.USER_AGENT),
        values.get(Settings.SIGNATURE_HEADERS));
  }
}
