package dev.postrider.options;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The options of sending deliveries.
 *
 * @param retrySchedule n delays mean n retries
 * @param requestTimeout the total deadline of one attempt
 * @param eventTtl how long after its message a first attempt may start, where nothing else is set
 * @param maxEndpoints maximum number of enabled endpoints of an application without its own limit
 * @param maxResponseBytes how much of a response is kept
 */
public record DeliveryOptions(
    List<Duration> retrySchedule,
    Duration requestTimeout,
    Optional<Duration> eventTtl,
    Limits limits,
    int maxEndpoints,
    int maxResponseBytes,
    Optional<EgressProxyOptions> egressProxy,
    List<String> egressNoProxy,
    String userAgent,
    SignatureHeaders signatureHeaders,
    DefaultSignature defaultSignature) {
  private static final Duration MAX_EVENT_TTL = Duration.ofDays(14);

  /** The names of the signature headers. */
  public enum SignatureHeaders {
    WEBHOOK,
    SVIX,
    BOTH
  }

  /** The type of signing keys that are generated for new endpoints. */
  public enum DefaultSignature {
    /** A shared secret. */
    HMAC256,
    /** A private key; receivers verify with its public key. */
    ED25519
  }

  /**
   * Limits of one instance for concurrent deliveries, and of all for requests per second.
   *
   * @param applicationShare the share of the free slots that one application may take
   * @param sendRate requests per second of all instances together; 0 means no limit
   */
  public record Limits(
      int maxInFlight,
      int maxInFlightPerEndpoint,
      long maxLeasedBytes,
      double applicationShare,
      int sendRate) {
    public Limits {
      Require.that(maxInFlightPerEndpoint > 0, "maxInFlightPerEndpoint must be at least 1");
      Require.that(
          maxInFlightPerEndpoint <= maxInFlight,
          "maxInFlightPerEndpoint must not exceed maxInFlight");
      Require.that(maxLeasedBytes > 0, "maxLeasedBytes must be at least 1");
      Require.that(
          applicationShare > 0 && applicationShare <= 1,
          "applicationShare must be more than 0 and at most 1");
      Require.that(sendRate >= 0, "sendRate must not be negative");
    }

    public static Limits defaults() {
      return new Limits(20_000, 100, 64 << 20, 0.2, 0);
    }
  }

  /** The user agent of requests, unless another one is configured. */
  public static final String DEFAULT_USER_AGENT = "Postrider";

  public DeliveryOptions {
    retrySchedule = List.copyOf(retrySchedule);
    egressNoProxy = List.copyOf(egressNoProxy);
    Require.that(requestTimeout.isPositive(), "requestTimeout must be positive");
    Require.that(
        eventTtl.isEmpty()
            || (eventTtl.get().isPositive() && eventTtl.get().compareTo(MAX_EVENT_TTL) <= 0),
        "eventTtl must be positive and at most 14 days");
    Require.that(maxEndpoints > 0, "maxEndpoints must be at least 1");
    Require.that(maxResponseBytes >= 0, "maxResponseBytes must not be negative");
  }

  public static DeliveryOptions defaults() {
    return new DeliveryOptions(
        List.of(
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofMinutes(15),
            Duration.ofHours(1),
            Duration.ofHours(6),
            Duration.ofHours(24)),
        Duration.ofSeconds(15),
        Optional.empty(),
        Limits.defaults(),
        1_000,
        10 * 1024,
        Optional.empty(),
        List.of(),
        DEFAULT_USER_AGENT,
        SignatureHeaders.WEBHOOK,
        DefaultSignature.HMAC256);
  }

  /** With another retry schedule. */
  public DeliveryOptions withRetrySchedule(List<Duration> delays) {
    return new DeliveryOptions(
        delays,
        requestTimeout,
        eventTtl,
        limits,
        maxEndpoints,
        maxResponseBytes,
        egressProxy,
        egressNoProxy,
        userAgent,
        signatureHeaders,
        defaultSignature);
  }
}
