package dev.postrider.config;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.postrider.config.Setting.Section;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Every setting, once. */
public final class Settings {
  private static final long KB = 1024;
  private static final long MB = 1024 * KB;
  private static final long GB = 1024 * MB;

  // Server

  static final Setting<Role> ROLE =
      row(
          "ROLE",
          Section.SERVER,
          Types.oneOf(Role.class),
          "all",
          "worker",
          "What this instance does: answer the API, deliver, or both. Splitting needs PostgreSQL.");
  static final Setting<String> HOST =
      row(
          "HOST",
          Section.SERVER,
          Types.text("a host name or an IP address", Pattern.compile("[A-Za-z0-9.:_-]{1,253}")),
          "127.0.0.1",
          "0.0.0.0",
          "Address to listen on. 0.0.0.0 listens on all of them.");
  static final Setting<Integer> PORT =
      row(
          "PORT",
          Section.SERVER,
          Types.integer(0, 65_535),
          "8080",
          "8080",
          "Port to listen on. 0 takes a free one.");
  static final Setting<Optional<URI>> PUBLIC_URL =
      row(
          "PUBLIC_URL",
          Section.SERVER,
          Types.optional(Types.explained(Texts.URL_FORM, Texts::baseUrl, Texts::checkBaseUrl)),
          "",
          "https://hooks.example.com",
          "The URL under which callers reach this server; put into links.");
  static final Setting<List<String>> TRUSTED_PROXIES =
      row(
          "TRUSTED_PROXIES",
          Section.SERVER,
          Types.list(addressRange()),
          "",
          "10.0.0.0/8,127.0.0.1",
          "Proxies whose X-Forwarded-For is believed.");
  static final Setting<Optional<Path>> TLS_CERT_FILE =
      row(
          "TLS_CERT_FILE",
          Section.SERVER,
          Types.optional(Types.path("a PEM file")),
          "",
          "/etc/postrider/cert.pem",
          "Certificate chain of the server's own TLS; needs the key file too.");
  static final Setting<Optional<Path>> TLS_KEY_FILE =
      row(
          "TLS_KEY_FILE",
          Section.SERVER,
          Types.optional(Types.path("a PEM file")),
          "",
          "/etc/postrider/key.pem",
          "Private key of the certificate.");
  static final Setting<Long> MAX_BODY =
      row(
          "MAX_BODY",
          Section.SERVER,
          Types.size(KB, 64 * MB),
          "1MB",
          "512KB",
          "Largest request body; a larger one is answered 413.");
  static final Setting<Duration> SERVER_TIMEOUT =
      row(
          "SERVER_TIMEOUT",
          Section.SERVER,
          Types.duration(ofSeconds(1), ofMinutes(5)),
          "30s",
          "10s",
          "How long a caller may take to send its request.");
  static final Setting<Integer> MAX_CONNECTIONS =
      row(
          "MAX_CONNECTIONS",
          Section.SERVER,
          Types.integer(10, 1_000_000),
          "10000",
          "2000",
          "Connections that are held open at once.");

  // Storage

  static final Setting<Path> DATA_DIR =
      row(
          "DATA_DIR",
          Section.STORAGE,
          Types.path("a folder"),
          "./postrider-data",
          "/var/lib/postrider",
          "Folder of the SQLite database and of generated keys.");
  static final Setting<Optional<String>> DATABASE_URL =
      secretRow(
          "DATABASE_URL",
          Section.STORAGE,
          Types.optional(
              Types.explained(
                  DatabaseUrls.FORM, text -> text, text -> DatabaseUrls.parse(text, "postrider"))),
          "postgres://postrider:password@db.example.com:5432/postrider",
          "Where the data lives. Absent: SQLite, postrider.db in the data folder. Percent-encode"
              + " special characters in the password.");
  static final Setting<String> DATABASE_SCHEMA =
      row(
          "DATABASE_SCHEMA",
          Section.STORAGE,
          Types.text(
              "a PostgreSQL name of lower-case letters, digits and _ that does not begin with pg_",
              Pattern.compile("(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}")),
          "postrider",
          "webhooks",
          "PostgreSQL schema of all tables; nothing is created outside it.");
  static final Setting<Integer> DATABASE_POOL_SIZE =
      row(
          "DATABASE_POOL_SIZE",
          Section.STORAGE,
          Types.integer(2, 200),
          "10",
          "20",
          "PostgreSQL connections for reading, claiming and managing.");
  static final Setting<Duration> DATABASE_CONNECT_TIMEOUT =
      row(
          "DATABASE_CONNECT_TIMEOUT",
          Section.STORAGE,
          Types.duration(ofSeconds(1), ofMinutes(1)),
          "5s",
          "3s",
          "How long connecting to PostgreSQL, or waiting for a connection, may take.");
  static final Setting<Duration> DATABASE_STATEMENT_TIMEOUT =
      row(
          "DATABASE_STATEMENT_TIMEOUT",
          Section.STORAGE,
          Types.duration(ofSeconds(1), ofMinutes(5)),
          "10s",
          "5s",
          "How long one statement may take; bounds what a silent network cut can hold up.");
  static final Setting<StorageConfig.Synchronous> SQLITE_SYNCHRONOUS =
      row(
          "SQLITE_SYNCHRONOUS",
          Section.STORAGE,
          Types.oneOf(StorageConfig.Synchronous.class),
          "full",
          "normal",
          "full survives a power cut; normal is faster and may lose the last commits in one.");

  // Security

  static final Setting<Optional<Secret>> API_KEY =
      secretRow(
          "API_KEY",
          Section.SECURITY,
          Types.optional(Texts.secret(Texts.API_KEY_FORM, Texts.API_KEY)),
          "sk_live_choose-a-long-random-text",
          "First API key of the default environment. Absent: generated and shown once.");
  static final Setting<Optional<Secret>> JWT_SECRET =
      secretRow(
          "JWT_SECRET",
          Section.SECURITY,
          Types.optional(Texts.secret(Texts.JWT_SECRET_FORM, Texts.JWT_SECRET)),
          "the-jwt-secret-of-your-svix-server",
          "Accepts HS256, HS384 and HS512 tokens made for Svix's open server with this secret.");
  static final Setting<Optional<Secret>> MASTER_KEY =
      secretRow(
          "MASTER_KEY",
          Section.SECURITY,
          Types.optional(
              Types.explained(Texts.MASTER_KEY_FORM, Secret::new, Texts::checkMasterKey)),
          "$(openssl rand -base64 32)",
          "The key that wraps all others, or the URI of one in a key management service"
              + " (docs/master-key.md). Absent, with no file either: generated in the data folder, readable"
              + " by its owner only.");
  static final Setting<Optional<Path>> MASTER_KEY_FILE =
      row(
          "MASTER_KEY_FILE",
          Section.SECURITY,
          Types.optional(Types.path("a file")),
          "",
          "/run/secrets/postrider-master-key",
          "A file that holds the master key.");
  static final Setting<Optional<Secret>> MASTER_KEY_PREVIOUS =
      secretRow(
          "MASTER_KEY_PREVIOUS",
          Section.SECURITY,
          Types.optional(
              Types.explained(Texts.MASTER_KEY_FORM, Secret::new, Texts::checkMasterKey)),
          "$(cat old-master-key)",
          "The master key before the current one, while a change of it is under way: set both on every"
              + " instance, then run postrider keys rotate-master.");
  static final Setting<List<String>> ALLOW_TARGETS =
      row(
          "ALLOW_TARGETS",
          Section.SECURITY,
          Types.list(addressRange()),
          "",
          "127.0.0.1,10.20.0.0/16",
          "Addresses that endpoints may have although they are private; http:// is allowed there"
              + " too.");
  static final Setting<Boolean> REQUIRE_HTTPS =
      row(
          "REQUIRE_HTTPS",
          Section.SECURITY,
          Types.onOff(),
          "true",
          "false",
          "Refuse http:// endpoints, except those in the allowed targets.");

  // Accepting

  static final Setting<Integer> ACCEPT_BATCH_ROWS =
      row(
          "ACCEPT_BATCH_ROWS",
          Section.ACCEPT,
          Types.integer(1, 10_000),
          "512",
          "256",
          "Most messages that are committed together.");
  static final Setting<Long> ACCEPT_BATCH_BYTES =
      row(
          "ACCEPT_BATCH_BYTES",
          Section.ACCEPT,
          Types.size(64 * KB, 256 * MB),
          "4MB",
          "2MB",
          "Most payload bytes that are committed together.");
  static final Setting<Integer> ACCEPT_QUEUE_ROWS =
      row(
          "ACCEPT_QUEUE_ROWS",
          Section.ACCEPT,
          Types.integer(1, 1_000_000),
          "20000",
          "5000",
          "Most messages that wait to be committed; beyond it callers get 503 with Retry-After.");
  static final Setting<Long> ACCEPT_QUEUE_BYTES =
      row(
          "ACCEPT_QUEUE_BYTES",
          Section.ACCEPT,
          Types.size(64 * KB, 4 * GB),
          "64MB",
          "128MB",
          "Most payload bytes that wait to be committed.");
  static final Setting<Duration> IDEMPOTENCY_WINDOW =
      row(
          "IDEMPOTENCY_WINDOW",
          Section.ACCEPT,
          Types.duration(ofMinutes(1), ofDays(30)),
          "24h",
          "12h",
          "How long a repeated idempotency key gets the first answer again.");

  // Inbound

  static final Setting<Integer> INBOUND_CONCURRENT =
      row(
          "INBOUND_CONCURRENT",
          Section.INBOUND,
          Types.integer(1, 1_000_000),
          "1000",
          "200",
          "Requests to sources that are worked on at once; more are answered 503.");
  static final Setting<Integer> INBOUND_RATE =
      row(
          "INBOUND_RATE",
          Section.INBOUND,
          Types.integer(0, 1_000_000),
          "10000",
          "50",
          "Requests a second to sources from one address; more are answered 429. 0 means no limit.");
  static final Setting<Duration> RETENTION_REJECTED =
      row(
          "RETENTION_REJECTED",
          Section.INBOUND,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "7d",
          "1d",
          "How long requests are kept that a source refused.");
  static final Setting<Duration> RETENTION_LIVE =
      row(
          "RETENTION_LIVE",
          Section.INBOUND,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "24h",
          "2h",
          "How long the live feed's history is kept for clients that come back.");

  static final Setting<Duration> ALERT_LAG =
      row(
          "ALERT_LAG",
          Section.INBOUND,
          Types.duration(ofSeconds(1), ofDays(30)),
          "5m",
          "1m",
          "How long a delivery may wait past its time before an alert says so.");

  // Delivery

  static final Setting<List<Duration>> RETRY_SCHEDULE =
      row(
          "RETRY_SCHEDULE",
          Section.DELIVERY,
          Texts.retrySchedule(),
          "5s,30s,2m,15m,1h,6h,24h",
          "10s,1m,10m,1h",
          "Delays between tries, each with ±10 % jitter; n delays mean n retries. none for no"
              + " retries.");
  static final Setting<Duration> REQUEST_TIMEOUT =
      row(
          "REQUEST_TIMEOUT",
          Section.DELIVERY,
          Types.duration(ofSeconds(1), ofSeconds(60)),
          "15s",
          "30s",
          "How long an endpoint has for its whole answer; endpoints may choose their own.");
  static final Setting<Integer> MAX_IN_FLIGHT =
      row(
          "MAX_IN_FLIGHT",
          Section.DELIVERY,
          Types.integer(1, 100_000),
          "5000",
          "1000",
          "Most tries that run at once in this instance.");
  static final Setting<Integer> MAX_IN_FLIGHT_PER_ENDPOINT =
      row(
          "MAX_IN_FLIGHT_PER_ENDPOINT",
          Section.DELIVERY,
          Types.integer(1, 10_000),
          "100",
          "20",
          "Most tries that run at once to one endpoint in this instance.");
  static final Setting<Integer> MAX_LEASED =
      row(
          "MAX_LEASED",
          Section.DELIVERY,
          Types.integer(1, 100_000),
          "4000",
          "1000",
          "Most deliveries that this instance holds leased.");
  static final Setting<Long> MAX_LEASED_BYTES =
      row(
          "MAX_LEASED_BYTES",
          Section.DELIVERY,
          Types.size(MB, 4 * GB),
          "64MB",
          "128MB",
          "Most payload bytes that this instance holds leased.");
  static final Setting<Long> MAX_RESPONSE =
      row(
          "MAX_RESPONSE",
          Section.DELIVERY,
          Types.size(0, MB),
          "10KB",
          "4KB",
          "How much of an endpoint's answer is kept with the attempt.");
  static final Setting<Optional<EgressProxy>> EGRESS_PROXY =
      secretRow(
          "EGRESS_PROXY",
          Section.DELIVERY,
          Types.optional(Types.explained(EgressProxy.FORM, EgressProxy::parse, proxy -> {})),
          "http://proxy.internal:3128",
          "HTTP proxy through which deliveries leave.");
  static final Setting<String> USER_AGENT =
      row(
          "USER_AGENT",
          Section.DELIVERY,
          Types.text("1 to 200 printable ASCII characters", Pattern.compile("[!-~][ -~]{0,199}")),
          "Postrider",
          "Acme-Webhooks/1.0",
          "The User-Agent of deliveries.");
  static final Setting<DeliveryConfig.SignatureHeaders> SIGNATURE_HEADERS =
      row(
          "SIGNATURE_HEADERS",
          Section.DELIVERY,
          Types.oneOf(DeliveryConfig.SignatureHeaders.class),
          "webhook",
          "both",
          "Spelling of the signature headers: webhook-id, svix-id, or both.");

  // Circuit breaker

  static final Setting<Integer> BREAKER_FAILURES =
      row(
          "BREAKER_FAILURES",
          Section.BREAKER,
          Types.integer(1, 1000),
          "5",
          "10",
          "Consecutive failures that open an endpoint's circuit.");
  static final Setting<Duration> BREAKER_SPAN =
      row(
          "BREAKER_SPAN",
          Section.BREAKER,
          Types.duration(Duration.ZERO, ofHours(1)),
          "10s",
          "0s",
          "Least time that those failures must span.");
  static final Setting<Duration> BREAKER_COOLDOWN =
      row(
          "BREAKER_COOLDOWN",
          Section.BREAKER,
          Types.duration(ofMillis(100), ofHours(24)),
          "10s",
          "30s",
          "First wait of an open circuit; doubles while the probe fails.");
  static final Setting<Duration> BREAKER_MAX_COOLDOWN =
      row(
          "BREAKER_MAX_COOLDOWN",
          Section.BREAKER,
          Types.duration(ofMillis(100), ofHours(24)),
          "5m",
          "15m",
          "Longest wait of an open circuit.");
  static final Setting<Optional<Duration>> DISABLE_AFTER =
      row(
          "DISABLE_AFTER",
          Section.BREAKER,
          Types.durationOrOff(ofHours(1), ofDays(365)),
          "5d",
          "off",
          "How long an endpoint may fail before it is disabled.");

  // Instances

  static final Setting<Duration> HEARTBEAT =
      row(
          "HEARTBEAT",
          Section.INSTANCE,
          Types.duration(ofMillis(100), ofMinutes(1)),
          "5s",
          "2s",
          "How often an instance says that it lives.");
  static final Setting<Duration> DEAD_AFTER =
      row(
          "DEAD_AFTER",
          Section.INSTANCE,
          Types.duration(ofMillis(300), ofMinutes(10)),
          "20s",
          "10s",
          "How long a heartbeat stands still before others rescue the instance's deliveries.");

  // Retention

  static final Setting<Duration> RETENTION_DELIVERED =
      row(
          "RETENTION_DELIVERED",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "30d",
          "12h",
          "How long delivered messages are kept, with their attempts.");
  static final Setting<Duration> RETENTION_DEAD_LETTERS =
      row(
          "RETENTION_DEAD_LETTERS",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "90d",
          "180d",
          "How long dead letters are kept.");
  static final Setting<Duration> RETENTION_UNROUTED =
      row(
          "RETENTION_UNROUTED",
          Section.RETENTION,
          Types.hoursOrDays(ofHours(1), ofDays(3650)),
          "30d",
          "7d",
          "How long messages are kept that no endpoint wanted.");
  static final Setting<LocalTime> RETENTION_TIME =
      row(
          "RETENTION_TIME",
          Section.RETENTION,
          Types.timeOfDay(),
          "03:00",
          "22:30",
          "When the daily prune begins, in UTC.");

  // Logs

  static final Setting<LogConfig.Level> LOG_LEVEL =
      row(
          "LOG_LEVEL",
          Section.LOG,
          Types.oneOf(LogConfig.Level.class),
          "info",
          "debug",
          "Least severe level that is written to stderr.");
  static final Setting<LogConfig.Format> LOG_FORMAT =
      row(
          "LOG_FORMAT",
          Section.LOG,
          Types.oneOf(LogConfig.Format.class),
          "text",
          "json",
          "One line of text, or one JSON object, per event.");

  // Configuration file

  static final Setting<Optional<Path>> CONFIG =
      row(
          "CONFIG",
          Section.FILE,
          Types.optional(Types.path("a YAML file")),
          "",
          "/etc/postrider/postrider.yaml",
          "The configuration file; without it ./postrider.yaml, if there is one.");
  static final Setting<Optional<String>> ENV =
      row(
          "ENV",
          Section.FILE,
          Types.optional(
              Types.text(
                  "a word of letters, digits, - and _", Pattern.compile("[A-Za-z0-9_-]{1,64}"))),
          "",
          "staging",
          "Lays postrider.staging.yaml over postrider.yaml.");

  private static final List<Setting<?>> ALL =
      List.of(
          ROLE,
          HOST,
          PORT,
          PUBLIC_URL,
          TRUSTED_PROXIES,
          TLS_CERT_FILE,
          TLS_KEY_FILE,
          MAX_BODY,
          SERVER_TIMEOUT,
          MAX_CONNECTIONS,
          DATA_DIR,
          DATABASE_URL,
          DATABASE_SCHEMA,
          DATABASE_POOL_SIZE,
          DATABASE_CONNECT_TIMEOUT,
          DATABASE_STATEMENT_TIMEOUT,
          SQLITE_SYNCHRONOUS,
          API_KEY,
          JWT_SECRET,
          MASTER_KEY,
          MASTER_KEY_FILE,
          MASTER_KEY_PREVIOUS,
          ALLOW_TARGETS,
          REQUIRE_HTTPS,
          ACCEPT_BATCH_ROWS,
          ACCEPT_BATCH_BYTES,
          ACCEPT_QUEUE_ROWS,
          ACCEPT_QUEUE_BYTES,
          IDEMPOTENCY_WINDOW,
          INBOUND_CONCURRENT,
          INBOUND_RATE,
          RETENTION_REJECTED,
          RETENTION_LIVE,
          ALERT_LAG,
          RETRY_SCHEDULE,
          REQUEST_TIMEOUT,
          MAX_IN_FLIGHT,
          MAX_IN_FLIGHT_PER_ENDPOINT,
          MAX_LEASED,
          MAX_LEASED_BYTES,
          MAX_RESPONSE,
          EGRESS_PROXY,
          USER_AGENT,
          SIGNATURE_HEADERS,
          BREAKER_FAILURES,
          BREAKER_SPAN,
          BREAKER_COOLDOWN,
          BREAKER_MAX_COOLDOWN,
          DISABLE_AFTER,
          HEARTBEAT,
          DEAD_AFTER,
          RETENTION_DELIVERED,
          RETENTION_DEAD_LETTERS,
          RETENTION_UNROUTED,
          RETENTION_TIME,
          LOG_LEVEL,
          LOG_FORMAT,
          CONFIG,
          ENV);

  private Settings() {}

  public static List<Setting<?>> all() {
    return ALL;
  }

  private static ValueType<String> addressRange() {
    return Types.explained(AddressRange.FORM, text -> text, AddressRange::check);
  }

  private static <T> Setting<T> row(
      String name,
      Section section,
      ValueType<T> type,
      String defaultText,
      String example,
      String description) {
    return new Setting<>(name, section, type, defaultText, example, description, false);
  }

  /** A secret has no default: what everyone can read is no secret. */
  private static <T> Setting<Optional<T>> secretRow(
      String name,
      Section section,
      ValueType<Optional<T>> type,
      String example,
      String description) {
    return new Setting<>(name, section, type, "", example, description, true);
  }
}
