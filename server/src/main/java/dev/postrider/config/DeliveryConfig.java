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
 * @param maxEndpoints active ones of an application that has no limit of its own
 * @param maxResponseBytes how much of an answer is kept
 */
public record DeliveryConfig(
    List<Duration> retrySchedule,
    Duration requestTimeout,
    Limits limits,
    int maxEndpoints,
    int maxResponseBytes,
    Optional<EgressProxyConfig> egressProxy,
    List<String> egressNoProxy,
    String userAgent,
    SignatureHeaders signatureHeaders,
    DefaultSignature defaultSignature) {
  /** The spelling of the signature headers. */
  public enum SignatureHeaders {
    WEBHOOK,
    SVIX,
    BOTH
  }

  /** The kind of key that is generated where the caller gives none. */
  public enum DefaultSignature {
    HMAC256,
    ED25519
  }

  /** What one instance holds and sends at once. */
  public record Limits(
      int maxInFlight, int maxInFlightPerEndpoint, long maxLeasedBytes, double applicationShare) {
    public Limits {
      EngineSettings.MAX_IN_FLIGHT.check(maxInFlight);
      EngineSettings.MAX_IN_FLIGHT_PER_ENDPOINT.check(maxInFlightPerEndpoint);
      EngineSettings.MAX_LEASED_BYTES.check(maxLeasedBytes);
      EngineSettings.APPLICATION_SHARE.check(applicationShare);
      Checks.notAbove(
          EngineSettings.MAX_IN_FLIGHT_PER_ENDPOINT,
          maxInFlightPerEndpoint,
          EngineSettings.MAX_IN_FLIGHT,
          maxInFlight);
    }
  }

  public DeliveryConfig {
    retrySchedule = List.copyOf(retrySchedule);
    egressNoProxy = List.copyOf(egressNoProxy);
    EngineSettings.RETRY_SCHEDULE.check(retrySchedule);
    EngineSettings.REQUEST_TIMEOUT.check(requestTimeout);
    EngineSettings.MAX_ENDPOINTS.check(maxEndpoints);
    EngineSettings.MAX_RESPONSE.check((long) maxResponseBytes);
    EngineSettings.EGRESS_NO_PROXY.check(egressNoProxy);
    EngineSettings.USER_AGENT.check(userAgent);
  }

  /** As it was written: {@code 5s,30s,2m}; empty for no retries. */
  public String retryScheduleText() {
    return retrySchedule.stream().map(Quantities::show).collect(Collectors.joining(","));
  }

  static DeliveryConfig from(Values values) {
    return new DeliveryConfig(
        values.get(EngineSettings.RETRY_SCHEDULE),
        values.get(EngineSettings.REQUEST_TIMEOUT),
        new Limits(
            values.get(EngineSettings.MAX_IN_FLIGHT),
            values.get(EngineSettings.MAX_IN_FLIGHT_PER_ENDPOINT),
            values.get(EngineSettings.MAX_LEASED_BYTES),
            values.get(EngineSettings.APPLICATION_SHARE)),
        values.get(EngineSettings.MAX_ENDPOINTS),
        Math.toIntExact(values.get(EngineSettings.MAX_RESPONSE)),
        values.get(EngineSettings.EGRESS_PROXY),
        values.get(EngineSettings.EGRESS_NO_PROXY),
        values.get(EngineSettings.USER_AGENT),
        values.get(EngineSettings.SIGNATURE_HEADERS),
        values.get(EngineSettings.DEFAULT_SIGNATURE));
  }
}
