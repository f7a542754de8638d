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

/** Settings of the work: accepting, receiving, delivering, giving up, forgetting. */
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
          "Most deliveries, or messages without any, that are committed together.");
  static final Setting<Long> ACCEPT_BATCH_BYTES =
      Setting.row(
          "ACCEPT_BATCH_BYTES",
          Section.ACCEPT,
          Types.size(64 * KB, 256 * MB),
          "4MB",
          "2MB",
          "Most payload bytes that are committed together.");
  static final Setting<Integer> ACCEPT_QUEUE_ROWS =
      Setting.row(
          "ACCEPT_QUEUE_ROWS",
          Section.ACCEPT,
          Types.integer(1, 1_000_000),
          "50000",
          "5000",
          "Most messages that wait to be committed; beyond it callers get 503 with Retry-After.");
  static final Setting<Long> ACCEPT_QUEUE_BYTES =
      Setting.row(
          "ACCEPT_QUEUE_BYTES",
          Section.ACCEPT,
          Types.size(64 * KB, 4 * GB),
          "64MB",
          "128MB",
          "Most payload bytes that wait to be committed.");
  static final Setting<Duration> IDEMPOTENCY_WINDOW =
      Setting.row(
          "IDEMPOTENCY_WINDOW",
          Section.ACCEPT,
          Types.duration(ofMinutes(1), ofDays(30)),
          "24h",
          "12h",
          "How long a repeated idempotency key gets the first answer again.");

  // Inbound

  static final Setting<Integer> INBOUND_CONCURRENT =
      Setting.row(
          "INBOUND_CONCURRENT",
          Section.INBOUND,
          Types.integer(1, 1_000_000),
          "1000",
          "200",
          "Requests to sources that are worked on at once; more are answered 503.");
  static final Setting<Integer> INBOUND_RATE =
      Setting.row(
          "INBOUND_RATE",
          Section.INBOUND,
          Types.integer(0, 1_000_000),
          "10000",
          "50",
          "Requests a second to sources from one address; more are answered 429. 0 means no"
              + " limit.");
  static final Setting<Duration> RETENTION_REJECTED =
      Setting.row(
          "RETENTION_REJECTED",
          Section.INBOUND,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "7d",
          "1d",
          "How long requests are kept that a source refused.");
  static final Setting<Duration> RETENTION_LIVE =
      Setting.row(
          "RETENTION_LIVE",
          Section.INBOUND,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "24h",
          "2h",
          "How long the live feed's history is kept for clients that come back.");

  static final Setting<Duration> ALERT_LAG =
      Setting.row(
          "ALERT_LAG",
          Section.INBOUND,
          Types.duration(ofSeconds(1), ofDays(30)),
          "5m",
          "1m",
          "How long a delivery may wait past its time before an alert says so.");

  // Delivery

  static final Setting<List<Duration>> RETRY_SCHEDULE =
      Setting.row(
          "RETRY_SCHEDULE",
          Section.DELIVERY,
          Texts.retrySchedule(),
          "5s,30s,2m,15m,1h,6h,24h",
          "10s,1m,10m,1h",
          "Delays between tries, each with ±10 % jitter; n delays mean n retries. none for no"
              + " retries.");
  static final Setting<Duration> REQUEST_TIMEOUT =
      Setting.row(
          "REQUEST_TIMEOUT",
          Section.DELIVERY,
          Types.duration(ofSeconds(1), ofSeconds(60)),
          "15s",
          "30s",
          "How long an endpoint has for its whole answer; endpoints may choose their own.");
  static final Setting<Integer> MAX_IN_FLIGHT =
      Setting.row(
          "MAX_IN_FLIGHT",
          Section.DELIVERY,
          Types.integer(1, 100_000),
          "20000",
          "5000",
          "Most deliveries that this instance holds at once, from the lease to the recorded"
              + " outcome. Lowered at start to what the heap and the limit of open files allow.");
  static final Setting<Integer> MAX_IN_FLIGHT_PER_ENDPOINT =
      Setting.row(
          "MAX_IN_FLIGHT_PER_ENDPOINT",
          Section.DELIVERY,
          Types.integer(1, 10_000),
          "100",
          "20",
          "Most tries that run at once to one endpoint in this instance.");
  static final Setting<Double> APPLICATION_SHARE =
      Setting.row(
          "APPLICATION_SHARE",
          Section.DELIVERY,
          Types.fraction(),
          "0.2",
          "0.5",
          "The part of MAX_IN_FLIGHT, MAX_LEASED_BYTES and the accept queue that one application"
              + " may hold; each further busy application gets this part of the rest. 1 for no"
              + " limit.");
  static final Setting<Long> MAX_LEASED_BYTES =
      Setting.row(
          "MAX_LEASED_BYTES",
          Section.DELIVERY,
          Types.size(MB, 4 * GB),
          "64MB",
          "128MB",
          "Most payload bytes that this instance holds leased.");
  static final Setting<Integer> MAX_ENDPOINTS =
      Setting.row(
          "MAX_ENDPOINTS",
          Section.DELIVERY,
          Types.integer(1, 10_000),
          "1000",
          "50",
          "Most endpoints of one application that may be active at once, unless its limits say"
              + " otherwise.");
  static final Setting<Long> MAX_RESPONSE =
      Setting.row(
          "MAX_RESPONSE",
          Section.DELIVERY,
          Types.size(0, MB),
          "10KB",
          "4KB",
          "How much of an endpoint's answer is kept with the attempt.");
  static final Setting<Optional<EgressProxyOptions>> EGRESS_PROXY =
      Setting.secretRow(
          "EGRESS_PROXY",
          Section.DELIVERY,
          Types.optional(
              Types.explained(EgressProxyText.FORM, EgressProxyText::parse, proxy -> {})),
          "http://proxy.internal:3128",
          "HTTP or SOCKS5 proxy through which deliveries leave.");
  static final Setting<List<String>> EGRESS_NO_PROXY =
      Setting.row(
          "EGRESS_NO_PROXY",
          Section.DELIVERY,
          Types.list(NoProxy.type()),
          "",
          "hooks.internal,.cluster.local,10.0.0.0/8",
          "Targets that are called without the proxy: a host, all hosts below a domain that begins"
              + " with a dot, or URLs with an address in a network.");
  static final Setting<String> USER_AGENT =
      Setting.row(
          "USER_AGENT",
          Section.DELIVERY,
          Types.text("1 to 200 printable ASCII characters", Pattern.compile("[!-~][ -~]{0,199}")),
          "Postrider",
          "Acme-Webhooks/1.0",
          "The User-Agent of deliveries.");
  static final Setting<DeliveryOptions.SignatureHeaders> SIGNATURE_HEADERS =
      Setting.row(
          "SIGNATURE_HEADERS",
          Section.DELIVERY,
          Types.oneOf(DeliveryOptions.SignatureHeaders.class),
          "webhook",
          "both",
          "Spelling of the signature headers: webhook-id, svix-id, or both.");
  static final Setting<DeliveryOptions.DefaultSignature> DEFAULT_SIGNATURE =
      Setting.row(
          "DEFAULT_SIGNATURE",
          Section.DELIVERY,
          Types.oneOf(DeliveryOptions.DefaultSignature.class),
          "hmac256",
          "ed25519",
          "Kind of key that is generated for a new endpoint or application without a secret:"
              + " hmac256 is a shared secret (whsec_…), ed25519 a private key whose public key"
              + " (whpk_…) receivers verify with. Existing keys keep their kind when they are"
              + " rotated.");

  // Circuit breaker

  static final Setting<Integer> BREAKER_FAILURES =
      Setting.row(
          "BREAKER_FAILURES",
          Section.BREAKER,
          Types.integer(1, 1000),
          "5",
          "10",
          "Consecutive failures that open an endpoint's circuit.");
  static final Setting<Duration> BREAKER_SPAN =
      Setting.row(
          "BREAKER_SPAN",
          Section.BREAKER,
          Types.duration(Duration.ZERO, ofHours(1)),
          "10s",
          "0s",
          "Least time that those failures must span.");
  static final Setting<Duration> BREAKER_COOLDOWN =
      Setting.row(
          "BREAKER_COOLDOWN",
          Section.BREAKER,
          Types.duration(ofMillis(100), ofHours(24)),
          "10s",
          "30s",
          "First wait of an open circuit; doubles while the probe fails.");
  static final Setting<Duration> BREAKER_MAX_COOLDOWN =
      Setting.row(
          "BREAKER_MAX_COOLDOWN",
          Section.BREAKER,
          Types.duration(ofMillis(100), ofHours(24)),
          "5m",
          "15m",
          "Longest wait of an open circuit.");
  static final Setting<Optional<Duration>> DISABLE_AFTER =
      Setting.row(
          "DISABLE_AFTER",
          Section.BREAKER,
          Types.durationOrOff(ofSeconds(1), ofDays(365)),
          "5d",
          "off",
          "Disables an endpoint when a try fails this long after its first failed try, with no"
              + " success between. A success, enabling the endpoint, and this long (at least 2d)"
              + " without a try start over.");

  // Retention

  static final Setting<Duration> RETENTION_DELIVERED =
      Setting.row(
          "RETENTION_DELIVERED",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "30d",
          "12h",
          "How long delivered messages are kept, with their attempts.");
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
          "How long messages are kept that no endpoint wanted.");
  static final Setting<Duration> RETENTION_AUDIT =
      Setting.row(
          "RETENTION_AUDIT",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "365d",
          "90d",
          "How long it is kept who deleted or rotated what.");
  static final Setting<LocalTime> RETENTION_TIME =
      Setting.row(
          "RETENTION_TIME",
          Section.RETENTION,
          Types.timeOfDay(),
          "03:00",
          "22:30",
          "When the daily prune begins, in UTC.");

  private EngineSettings() {}
}
