package dev.postrider.config;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.postrider.config.Setting.Section;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EgressProxyOptions;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Settings of the engine: accept, inbound, delivery, circuit breaker and retention. */
final class EngineSettings {
  private static final long KB = 1024;
  private static final long MB = 1024 * KB;
  private static final long GB = 1024 * MB;

  // Accepting

  static final Setting<Integer> ACCEPT_BATCH_ROWS =
      Setting.row(
          "ACCEPT_BATCH_ROWS",
          Section.ACCEPT,
          Types.integer(1, 10_000),
          "512",
          "256",
          "Maximum number of deliveries (or of messages without deliveries) in one commit"
              + " batch.");
  static final Setting<Long> ACCEPT_BATCH_BYTES =
      Setting.row(
          "ACCEPT_BATCH_BYTES",
          Section.ACCEPT,
          Types.size(64 * KB, 256 * MB),
          "4MB",
          "2MB",
          "Maximum payload bytes in one commit batch. If it is not set, it is at least MAX_BODY.");
  static final Setting<Integer> ACCEPT_QUEUE_ROWS =
      Setting.row(
          "ACCEPT_QUEUE_ROWS",
          Section.ACCEPT,
          Types.integer(1, 1_000_000),
          "50000",
          "5000",
          "Maximum number of messages in the accept queue, waiting for their commit. When it is"
              + " full, sends are rejected with 503 and Retry-After.");
  static final Setting<Long> ACCEPT_QUEUE_BYTES =
      Setting.row(
          "ACCEPT_QUEUE_BYTES",
          Section.ACCEPT,
          Types.size(64 * KB, 4 * GB),
          "64MB",
          "128MB",
          "Maximum payload bytes in the accept queue.");
  static final Setting<Duration> IDEMPOTENCY_WINDOW =
      Setting.row(
          "IDEMPOTENCY_WINDOW",
          Section.ACCEPT,
          Types.duration(ofMinutes(1), ofDays(30)),
          "24h",
          "12h",
          "How long a request with the same idempotency key returns the first response; applications"
              + " and event types may have windows of their own.");
  static final Setting<Duration> IDEMPOTENCY_MAX_WINDOW =
      Setting.row(
          "IDEMPOTENCY_MAX_WINDOW",
          Section.ACCEPT,
          Types.duration(ofMinutes(1), ofDays(14)),
          "7d",
          "2d",
          "Maximum idempotencyWindowMs of an application or an event type; longer values are reduced"
              + " to it.");

  // Inbound

  static final Setting<Integer> INBOUND_CONCURRENT =
      Setting.row(
          "INBOUND_CONCURRENT",
          Section.INBOUND,
          Types.integer(1, 1_000_000),
          "1000",
          "200",
          "Maximum number of concurrent requests to sources; further requests get 503.");
  static final Setting<Integer> INBOUND_RATE =
      Setting.row(
          "INBOUND_RATE",
          Section.INBOUND,
          Types.integer(0, 1_000_000),
          "10000",
          "50",
          "Rate limit of requests to sources per client IP address, per second; further"
              + " requests get 429. 0 means no limit.");
  static final Setting<Duration> RETENTION_REJECTED =
      Setting.row(
          "RETENTION_REJECTED",
          Section.INBOUND,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "7d",
          "1d",
          "How long rejected requests to sources are kept.");
  static final Setting<Duration> RETENTION_LIVE =
      Setting.row(
          "RETENTION_LIVE",
          Section.INBOUND,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "24h",
          "2h",
          "How long events of the live feed are kept, so that clients can resume after a"
              + " reconnect.");

  static final Setting<Duration> ALERT_LAG =
      Setting.row(
          "ALERT_LAG",
          Section.INBOUND,
          Types.duration(ofSeconds(1), ofDays(30)),
          "5m",
          "1m",
          "How late a delivery may be before an alert is sent.");

  // Delivery

  static final Setting<List<Duration>> RETRY_SCHEDULE =
      Setting.row(
          "RETRY_SCHEDULE",
          Section.DELIVERY,
          SettingValues.retrySchedule(),
          "5s,30s,2m,15m,1h,6h,24h",
          "10s,1m,10m,1h",
          "Retry schedule: delays between attempts, each with ±10 % jitter; n delays mean n"
              + " retries. none means no retries.");
  static final Setting<Duration> REQUEST_TIMEOUT =
      Setting.row(
          "REQUEST_TIMEOUT",
          Section.DELIVERY,
          Types.duration(ofSeconds(1), ofSeconds(60)),
          "15s",
          "30s",
          "Timeout of a delivery request, until the complete response of the endpoint;"
              + " endpoints may override it.");
  static final Setting<Optional<Duration>> EVENT_TTL =
      Setting.row(
          "EVENT_TTL",
          Section.DELIVERY,
          Types.durationOrOff(ofSeconds(1), ofDays(14)),
          "off",
          "6h",
          "How long after a message was accepted, or after its deliverAt, the first attempt of a"
              + " delivery may start; later the delivery is canceled with the reason expired."
              + " Endpoints, queues and sources may override it.");
  static final Setting<Integer> MAX_IN_FLIGHT =
      Setting.row(
          "MAX_IN_FLIGHT",
          Section.DELIVERY,
          Types.integer(1, 100_000),
          "20000",
          "5000",
          "Maximum number of deliveries that this instance has leased at the same time, until"
              + " their results are recorded. Lowered at start if the heap or the limit of open files"
              + " is too small.");
  static final Setting<Integer> MAX_IN_FLIGHT_PER_ENDPOINT =
      Setting.row(
          "MAX_IN_FLIGHT_PER_ENDPOINT",
          Section.DELIVERY,
          Types.integer(1, 10_000),
          "100",
          "20",
          "Maximum number of concurrent attempts to one endpoint from this instance.");
  static final Setting<Double> APPLICATION_SHARE =
      Setting.row(
          "APPLICATION_SHARE",
          Section.DELIVERY,
          Types.fraction(),
          "0.2",
          "0.5",
          "Share of MAX_IN_FLIGHT, MAX_LEASED_BYTES and the accept queue that one application"
              + " may use; each further busy application gets this share of the remainder. 1 means no"
              + " limit.");
  static final Setting<Integer> SEND_RATE =
      Setting.row(
          "SEND_RATE",
          Section.DELIVERY,
          Types.integer(0, 1_000_000),
          "0",
          "500",
          "Maximum number of delivery requests per second to all endpoints together, retries"
              + " included. All instances share it equally, so set the same total on each of them."
              + " 0 means no limit.");
  static final Setting<Long> MAX_LEASED_BYTES =
      Setting.row(
          "MAX_LEASED_BYTES",
          Section.DELIVERY,
          Types.size(MB, 4 * GB),
          "64MB",
          "128MB",
          "Maximum payload bytes of the deliveries that this instance has leased.");
  static final Setting<Integer> MAX_ENDPOINTS =
      Setting.row(
          "MAX_ENDPOINTS",
          Section.DELIVERY,
          Types.integer(1, 10_000),
          "1000",
          "50",
          "Maximum number of enabled endpoints of one application, unless the limits of the"
              + " application override it.");
  static final Setting<Long> MAX_RESPONSE =
      Setting.row(
          "MAX_RESPONSE",
          Section.DELIVERY,
          Types.size(0, MB),
          "10KB",
          "4KB",
          "How many bytes of an endpoint's response are stored with the attempt.");
  static final Setting<Optional<EgressProxyOptions>> EGRESS_PROXY =
      Setting.secretRow(
          "EGRESS_PROXY",
          Section.DELIVERY,
          Types.optional(
              Types.explained(EgressProxyText.FORM, EgressProxyText::parse, proxy -> {})),
          "http://proxy.internal:3128",
          "HTTP or SOCKS5 proxy for delivery requests.");
  static final Setting<List<String>> EGRESS_NO_PROXY =
      Setting.row(
          "EGRESS_NO_PROXY",
          Section.DELIVERY,
          Types.list(NoProxy.type()),
          "",
          "hooks.internal,.cluster.local,10.0.0.0/8",
          "Targets that are called without the proxy: a host, a domain with a leading dot for"
              + " all hosts below it, or a network for URLs with an IP address in it.");
  static final Setting<String> USER_AGENT =
      Setting.row(
          "USER_AGENT",
          Section.DELIVERY,
          Types.text("1 to 200 printable ASCII characters", Pattern.compile("[!-~][ -~]{0,199}")),
          "Postrider",
          "Acme-Webhooks/1.0",
          "User-Agent header of delivery requests.");
  static final Setting<DeliveryOptions.SignatureHeaders> SIGNATURE_HEADERS =
      Setting.row(
          "SIGNATURE_HEADERS",
          Section.DELIVERY,
          Types.oneOf(DeliveryOptions.SignatureHeaders.class),
          "webhook",
          "both",
          "Names of the signature headers: webhook-id, svix-id, or both.");
  static final Setting<DeliveryOptions.DefaultSignature> DEFAULT_SIGNATURE =
      Setting.row(
          "DEFAULT_SIGNATURE",
          Section.DELIVERY,
          Types.oneOf(DeliveryOptions.DefaultSignature.class),
          "hmac256",
          "ed25519",
          "Type of the signing key that is generated for a new endpoint or application without"
              + " a secret: hmac256 is a shared secret (whsec_…), ed25519 a private key; receivers"
              + " verify with its public key (whpk_…). Rotation keeps the type of an existing key.");

  // Circuit breaker

  static final Setting<Integer> BREAKER_FAILURES =
      Setting.row(
          "BREAKER_FAILURES",
          Section.BREAKER,
          Types.integer(1, 1000),
          "5",
          "10",
          "Number of consecutive failures that open the circuit breaker of an endpoint.");
  static final Setting<Duration> BREAKER_SPAN =
      Setting.row(
          "BREAKER_SPAN",
          Section.BREAKER,
          Types.duration(Duration.ZERO, ofHours(1)),
          "10s",
          "0s",
          "Minimum time between the first and the last of those failures.");
  static final Setting<Duration> BREAKER_COOLDOWN =
      Setting.row(
          "BREAKER_COOLDOWN",
          Section.BREAKER,
          Types.duration(ofMillis(100), ofHours(24)),
          "10s",
          "30s",
          "First cooldown of an open circuit breaker; it doubles with each failed probe.");
  static final Setting<Duration> BREAKER_MAX_COOLDOWN =
      Setting.row(
          "BREAKER_MAX_COOLDOWN",
          Section.BREAKER,
          Types.duration(ofMillis(100), ofHours(24)),
          "5m",
          "15m",
          "Maximum cooldown of an open circuit breaker.");
  static final Setting<Integer> BREAKER_SUCCESSES =
      Setting.row(
          "BREAKER_SUCCESSES",
          Section.BREAKER,
          Types.integer(1, 100),
          "1",
          "3",
          "Number of successful probes, one after the other, that close an open circuit breaker.");
  static final Setting<Boolean> BREAKER_COUNT_4XX =
      Setting.row(
          "BREAKER_COUNT_4XX",
          Section.BREAKER,
          Types.onOff(),
          "false",
          "true",
          "Whether 4xx and 3xx responses, except 410 and 429, count as failures of the circuit"
              + " breaker. If not, they count as successes of it.");
  static final Setting<Optional<Duration>> DISABLE_AFTER =
      Setting.row(
          "DISABLE_AFTER",
          Section.BREAKER,
          Types.durationOrOff(ofSeconds(1), ofDays(365)),
          "5d",
          "off",
          "Disables an endpoint when an attempt fails this long after the first failed attempt,"
              + " with no success in between. The period restarts after a success, when the endpoint"
              + " is enabled, and after this long (at least 2d) without an attempt.");

  // Retention

  static final Setting<Duration> RETENTION_DELIVERED =
      Setting.row(
          "RETENTION_DELIVERED",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "30d",
          "12h",
          "How long delivered messages and their attempts are kept.");
  static final Setting<Duration> RETENTION_DEAD_LETTERS =
      Setting.row(
          "RETENTION_DEAD_LETTERS",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "90d",
          "180d",
          "How long dead letters are kept.");
  static final Setting<Duration> RETENTION_UNROUTED =
      Setting.row(
          "RETENTION_UNROUTED",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "30d",
          "7d",
          "How long messages without deliveries (no endpoint was subscribed) are kept.");
  static final Setting<Duration> RETENTION_AUDIT =
      Setting.row(
          "RETENTION_AUDIT",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "365d",
          "90d",
          "How long audit log entries are kept (who deleted or rotated what).");
  static final Setting<LocalTime> RETENTION_TIME =
      Setting.row(
          "RETENTION_TIME",
          Section.RETENTION,
          Types.timeOfDay(),
          "03:00",
          "22:30",
          "Start time of the daily prune run, in UTC.");

  private EngineSettings() {}
}
