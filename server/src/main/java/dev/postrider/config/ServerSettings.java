package dev.postrider.config;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.postrider.config.Setting.Section;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.Role;
import dev.postrider.options.Secret;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Settings of the process: server, storage, security, instances, logs and configuration file. */
final class ServerSettings {
  private static final long KB = 1024;
  private static final long MB = 1024 * KB;

  // Server

  static final Setting<Role> ROLE =
      Setting.row(
          "ROLE",
          Section.SERVER,
          Types.oneOf(Role.class),
          "all",
          "worker",
          "Role of this instance: serve the API (api), deliver (worker), or both (all). The"
              + " roles api and worker need PostgreSQL.");
  static final Setting<String> HOST =
      Setting.row(
          "HOST",
          Section.SERVER,
          Types.text("a host name or an IP address", Pattern.compile("[A-Za-z0-9.:_-]{1,253}")),
          "127.0.0.1",
          "0.0.0.0",
          "Address to listen on. 0.0.0.0 means all addresses of the machine.");
  static final Setting<Integer> PORT =
      Setting.row(
          "PORT",
          Section.SERVER,
          Types.integer(0, 65_535),
          "8080",
          "8080",
          "Port to listen on. 0 means any free port.");
  static final Setting<Optional<URI>> PUBLIC_URL =
      Setting.row(
          "PUBLIC_URL",
          Section.SERVER,
          Types.optional(
              Types.explained(
                  SettingValues.URL_FORM, SettingValues::baseUrl, SettingValues::checkBaseUrl)),
          "",
          "https://hooks.example.com",
          "The URL at which clients reach this server; used in links.");
  static final Setting<List<String>> TRUSTED_PROXIES =
      Setting.row(
          "TRUSTED_PROXIES",
          Section.SERVER,
          Types.list(Types.network()),
          "",
          "10.0.0.0/8,127.0.0.1",
          "Proxies whose X-Forwarded-For and X-Real-IP headers are trusted.");
  static final Setting<Optional<Path>> TLS_CERT_FILE =
      Setting.row(
          "TLS_CERT_FILE",
          Section.SERVER,
          Types.optional(Types.path("a PEM file")),
          "",
          "/etc/postrider/cert.pem",
          "TLS certificate chain of the server; needs the private key file too.");
  static final Setting<Optional<Path>> TLS_KEY_FILE =
      Setting.row(
          "TLS_KEY_FILE",
          Section.SERVER,
          Types.optional(Types.path("a PEM file")),
          "",
          "/etc/postrider/key.pem",
          "Private key of the TLS certificate.");
  static final Setting<Long> MAX_BODY =
      Setting.row(
          "MAX_BODY",
          Section.SERVER,
          Types.size(KB, 64 * MB),
          "1MB",
          "512KB",
          "Maximum size of a request body; larger requests get 413. GitHub sends up to 25MB.");
  static final Setting<Duration> SERVER_TIMEOUT =
      Setting.row(
          "SERVER_TIMEOUT",
          Section.SERVER,
          Types.duration(ofSeconds(1), ofMinutes(5)),
          "30s",
          "10s",
          "Timeout for receiving a complete request.");
  static final Setting<Integer> MAX_CONNECTIONS =
      Setting.row(
          "MAX_CONNECTIONS",
          Section.SERVER,
          Types.integer(10, 1_000_000),
          "10000",
          "2000",
          "Maximum number of open connections.");
  static final Setting<Integer> MANAGEMENT_RATE =
      Setting.row(
          "MANAGEMENT_RATE",
          Section.SERVER,
          Types.integer(0, 1_000_000),
          "0",
          "50",
          "Rate limit of API calls other than sends, per second, over all instances: for each API"
              + " key of an environment, and for each application with all its keys and tokens;"
              + " further calls get 429. 0 means no limit.");
  static final Setting<Integer> METRICS_LABELS =
      Setting.row(
          "METRICS_LABELS",
          Section.SERVER,
          Types.integer(0, 10_000),
          "200",
          "50",
          "Maximum number of sources, of handlers and of queues that have separate series in"
              + " /metrics; all others share the label other.");
  static final Setting<Optional<Boolean>> ECHO =
      Setting.row(
          "ECHO",
          Section.SERVER,
          Types.optional(Types.onOff()),
          "",
          "true",
          "Whether POST /echo, a test receiver without authentication, is enabled. Default:"
              + " enabled while HOST is a loopback address.");

  // Storage

  static final Setting<Path> DATA_DIR =
      Setting.row(
          "DATA_DIR",
          Section.STORAGE,
          Types.path("a folder"),
          "./postrider-data",
          "/var/lib/postrider",
          "Folder of the SQLite database and of generated keys.");
  static final Setting<Optional<String>> DATABASE_URL =
      Setting.secretRow(
          "DATABASE_URL",
          Section.STORAGE,
          Types.optional(
              Types.explained(
                  DatabaseUrls.FORM, text -> text, text -> DatabaseUrls.parse(text, "postrider"))),
          "postgres://postrider:password@db.example.com:5432/postrider",
          "The database URL. Default: SQLite, postrider.db in the data folder. Percent-encode"
              + " special characters in the password.");
  static final Setting<Optional<String>> API_DATABASE_URL =
      Setting.secretRow(
          "API_DATABASE_URL",
          Section.STORAGE,
          Types.optional(
              Types.explained(
                  DatabaseUrls.FORM, text -> text, text -> DatabaseUrls.parse(text, "postrider"))),
          "postgres://postrider:password@pgbouncer.example.com:6432/postrider",
          "Another URL of the same PostgreSQL database for the connection pool. It may lead through"
              + " a proxy that pools by transaction, such as PgBouncer. The connections for"
              + " accepting, results, claims, heartbeats and migrations use DATABASE_URL.");
  static final Setting<String> DATABASE_SCHEMA =
      Setting.row(
          "DATABASE_SCHEMA",
          Section.STORAGE,
          Types.text(
              "a PostgreSQL name of lower-case letters, digits and _ that does not begin with pg_",
              Pattern.compile("(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}")),
          "postrider",
          "webhooks",
          "PostgreSQL schema of all tables; nothing is created outside it.");
  static final Setting<Integer> DATABASE_POOL_SIZE =
      Setting.row(
          "DATABASE_POOL_SIZE",
          Section.STORAGE,
          Types.integer(2, 200),
          "10",
          "20",
          "Size of the PostgreSQL connection pool for reads, claims and administration. An"
              + " instance opens up to seven more connections, for accepts, recording of results,"
              + " heartbeats and others.");
  static final Setting<Duration> DATABASE_CONNECT_TIMEOUT =
      Setting.row(
          "DATABASE_CONNECT_TIMEOUT",
          Section.STORAGE,
          Types.duration(ofSeconds(1), ofMinutes(1)),
          "5s",
          "3s",
          "Timeout for connecting to PostgreSQL, and for waiting for a connection of the pool.");
  static final Setting<Duration> DATABASE_STATEMENT_TIMEOUT =
      Setting.row(
          "DATABASE_STATEMENT_TIMEOUT",
          Section.STORAGE,
          Types.duration(ofSeconds(1), ofMinutes(5)),
          "10s",
          "5s",
          "Timeout of a single statement; also limits how long a silent network failure can"
              + " block.");
  static final Setting<StorageConfig.Synchronous> SQLITE_SYNCHRONOUS =
      Setting.row(
          "SQLITE_SYNCHRONOUS",
          Section.STORAGE,
          Types.oneOf(StorageConfig.Synchronous.class),
          "full",
          "normal",
          "Durability of commits in SQLite: full survives a power failure; normal is faster,"
              + " but a power failure may lose the last commits.");

  // Security

  static final Setting<Optional<Secret>> API_KEY =
      Setting.secretRow(
          "API_KEY",
          Section.SECURITY,
          Types.optional(SettingValues.secret(SettingValues.API_KEY_FORM, SettingValues.API_KEY)),
          "sk_live_choose-a-long-random-text",
          "First API key of the default environment. Default: generated and printed once.");
  static final Setting<Optional<Secret>> JWT_SECRET =
      Setting.secretRow(
          "JWT_SECRET",
          Section.SECURITY,
          Types.optional(
              SettingValues.secret(SettingValues.JWT_SECRET_FORM, SettingValues.JWT_SECRET)),
          "the-jwt-secret-of-your-svix-server",
          "Shared secret of JWTs: accepts HS256, HS384 and HS512 tokens that were issued for a"
              + " self-hosted Svix server with this secret.");
  static final Setting<Boolean> JWT_WITHOUT_EXPIRY =
      Setting.row(
          "JWT_WITHOUT_EXPIRY",
          Section.SECURITY,
          Types.onOff(),
          "false",
          "true",
          "Also accepts JWTs without exp. Such a token is valid until the secret is changed.");
  static final Setting<Optional<Secret>> MASTER_KEY =
      Setting.secretRow(
          "MASTER_KEY",
          Section.SECURITY,
          Types.optional(
              Types.explained(
                  SettingValues.MASTER_KEY_FORM, Secret::new, SettingValues::checkMasterKey)),
          "$(openssl rand -base64 32)",
          "The master key, which encrypts all other keys, or the URI of a key in a key management"
              + " service (docs/guides/master-key.md). Default: the key in the master key file; if"
              + " there is no file, a key is generated in the data folder, readable only by the"
              + " server's user.");
  static final Setting<Optional<Path>> MASTER_KEY_FILE =
      Setting.row(
          "MASTER_KEY_FILE",
          Section.SECURITY,
          Types.optional(Types.path("a file")),
          "",
          "/run/secrets/postrider-master-key",
          "A file that contains the master key.");
  static final Setting<Optional<Secret>> MASTER_KEY_PREVIOUS =
      Setting.secretRow(
          "MASTER_KEY_PREVIOUS",
          Section.SECURITY,
          Types.optional(
              Types.explained(
                  SettingValues.MASTER_KEY_FORM, Secret::new, SettingValues::checkMasterKey)),
          "$(cat old-master-key)",
          "The previous master key, during a rotation: set both keys on every instance, then"
              + " run postrider keys rotate-master.");
  static final Setting<Optional<Secret>> METRICS_TOKEN =
      Setting.secretRow(
          "METRICS_TOKEN",
          Section.SECURITY,
          Types.optional(SettingValues.secret(SettingValues.API_KEY_FORM, SettingValues.API_KEY)),
          "scrape_choose-a-long-random-text",
          "Token that GET /metrics requires as Authorization: Bearer. No other call accepts it."
              + " Default: /metrics needs no authentication.");
  static final Setting<List<String>> ALLOW_TARGETS =
      Setting.row(
          "ALLOW_TARGETS",
          Section.SECURITY,
          Types.list(Types.network()),
          "",
          "127.0.0.1,10.20.0.0/16",
          "Private networks in which endpoint URLs may be; http:// is allowed there too.");
  static final Setting<Boolean> REQUIRE_HTTPS =
      Setting.row(
          "REQUIRE_HTTPS",
          Section.SECURITY,
          Types.onOff(),
          "true",
          "false",
          "Rejects http:// endpoints, except in the allowed targets.");

  // Instances

  static final Setting<Duration> HEARTBEAT =
      Setting.row(
          "HEARTBEAT",
          Section.INSTANCE,
          Types.duration(ofMillis(100), ofMinutes(1)),
          "5s",
          "2s",
          "Interval of the heartbeat of an instance.");
  static final Setting<Duration> DEAD_AFTER =
      Setting.row(
          "DEAD_AFTER",
          Section.INSTANCE,
          Types.duration(ofMillis(300), ofMinutes(10)),
          "20s",
          "10s",
          "How long an instance may miss heartbeats before other instances take over its"
              + " deliveries.");

  // Logs

  static final Setting<Integer> SHARD_GROUPS =
      Setting.row(
          "SHARD_GROUPS",
          Section.INSTANCE,
          Types.integer(1, InstanceOptions.MAX_SHARD_GROUPS),
          "1",
          "16",
          "Groups of applications whose batches are kept apart, by the id of the application. For a"
              + " distributed PostgreSQL; 1 is right for all others.");
  static final Setting<LogConfig.Level> LOG_LEVEL =
      Setting.row(
          "LOG_LEVEL",
          Section.LOG,
          Types.oneOf(LogConfig.Level.class),
          "info",
          "debug",
          "Lowest level of the log lines that are written; the log goes to stderr.");
  static final Setting<LogConfig.Format> LOG_FORMAT =
      Setting.row(
          "LOG_FORMAT",
          Section.LOG,
          Types.oneOf(LogConfig.Format.class),
          "text",
          "json",
          "Log format: one line of text, or one JSON object, per event.");

  // Configuration file

  static final Setting<Optional<FileLocation>> CONFIG =
      Setting.row(
          "CONFIG",
          Section.FILE,
          Types.optional(Types.explained(FileLocation.FORM, FileLocation::parse, location -> {})),
          "",
          "/etc/postrider/postrider.yaml",
          "The configuration file, or an https://, http:// or s3:// URL of it. Default:"
              + " ./postrider.yaml, if it exists.");
  static final Setting<Optional<String>> ENV =
      Setting.row(
          "ENV",
          Section.FILE,
          Types.optional(
              Types.text(
                  "a word of letters, digits, - and _", Pattern.compile("[A-Za-z0-9_-]{1,64}"))),
          "",
          "staging",
          "Name of an overlay: staging merges postrider.staging.yaml into postrider.yaml, and reads"
              + " variables that are not set from .env.staging next to it.");

  static final Setting<Optional<Duration>> CONFIG_POLL_INTERVAL =
      Setting.row(
          "CONFIG_POLL_INTERVAL",
          Section.FILE,
          Types.durationOrOff(ofSeconds(1), Duration.ofDays(1)),
          "30s",
          "5m",
          "How often a configuration file at a URL is checked for a new version, which is then"
              + " applied.");
  static final Setting<List<String>> CONFIG_ALLOW_TARGETS =
      Setting.row(
          "CONFIG_ALLOW_TARGETS",
          Section.FILE,
          Types.list(Types.network()),
          "",
          "10.20.0.5,10.30.0.0/16",
          "Private networks in which the URL of the configuration file may be, in addition to"
              + " loopback and ALLOW_TARGETS; http:// is allowed only there.");
  static final Setting<Optional<Secret>> CONFIG_TOKEN =
      Setting.secretRow(
          "CONFIG_TOKEN",
          Section.FILE,
          Types.optional(SettingValues.secret(SettingValues.VISIBLE_FORM, SettingValues.VISIBLE)),
          "the-token-of-your-configuration-server",
          "Bearer token that is sent with requests for the configuration file.");
  static final Setting<Optional<URI>> CONFIG_S3_ENDPOINT =
      Setting.row(
          "CONFIG_S3_ENDPOINT",
          Section.FILE,
          Types.optional(
              Types.explained(
                  SettingValues.URL_FORM, SettingValues::baseUrl, SettingValues::checkBaseUrl)),
          "",
          "https://minio.example.com:9000",
          "URL of the S3-compatible object store with the configuration file. Default: AWS.");
  static final Setting<Optional<String>> CONFIG_S3_REGION =
      Setting.row(
          "CONFIG_S3_REGION",
          Section.FILE,
          Types.optional(Types.text("the name of a region", Pattern.compile("[A-Za-z0-9-]{1,64}"))),
          "",
          "eu-west-1",
          "Region of the S3 object store that holds the configuration file. Default: AWS_REGION,"
              + " else us-east-1.");
  static final Setting<Optional<Secret>> CONFIG_S3_ACCESS_KEY =
      Setting.secretRow(
          "CONFIG_S3_ACCESS_KEY",
          Section.FILE,
          Types.optional(SettingValues.secret(SettingValues.VISIBLE_FORM, SettingValues.VISIBLE)),
          "AKIAIOSFODNN7EXAMPLE",
          "The id of the access key for the store. Default: AWS_ACCESS_KEY_ID, or the role of the"
              + " container; without any, requests are not signed.");
  static final Setting<Optional<Secret>> CONFIG_S3_SECRET_KEY =
      Setting.secretRow(
          "CONFIG_S3_SECRET_KEY",
          Section.FILE,
          Types.optional(SettingValues.secret(SettingValues.VISIBLE_FORM, SettingValues.VISIBLE)),
          "the-secret-of-the-access-key",
          "The secret of CONFIG_S3_ACCESS_KEY.");

  private ServerSettings() {}
}
