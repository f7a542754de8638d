package dev.postrider.config;

import dev.postrider.options.OptionNames;
import java.util.List;

/** All settings, in the order of the documentation. */
public final class Settings {
  private static final List<Setting<?>> ALL =
      List.of(
          ServerSettings.ROLE,
          ServerSettings.HOST,
          ServerSettings.PORT,
          ServerSettings.PUBLIC_URL,
          ServerSettings.TRUSTED_PROXIES,
          ServerSettings.TLS_CERT_FILE,
          ServerSettings.TLS_KEY_FILE,
          ServerSettings.MAX_BODY,
          ServerSettings.SERVER_TIMEOUT,
          ServerSettings.MAX_CONNECTIONS,
          ServerSettings.MANAGEMENT_RATE,
          ServerSettings.METRICS_LABELS,
          ServerSettings.ECHO,
          ServerSettings.DATA_DIR,
          ServerSettings.DATABASE_URL,
          ServerSettings.API_DATABASE_URL,
          ServerSettings.DATABASE_SCHEMA,
          ServerSettings.DATABASE_POOL_SIZE,
          ServerSettings.DATABASE_CONNECT_TIMEOUT,
          ServerSettings.DATABASE_STATEMENT_TIMEOUT,
          ServerSettings.SQLITE_SYNCHRONOUS,
          ServerSettings.API_KEY,
          ServerSettings.JWT_SECRET,
          ServerSettings.JWT_WITHOUT_EXPIRY,
          ServerSettings.MASTER_KEY,
          ServerSettings.MASTER_KEY_FILE,
          ServerSettings.MASTER_KEY_PREVIOUS,
          ServerSettings.METRICS_TOKEN,
          ServerSettings.ALLOW_TARGETS,
          ServerSettings.REQUIRE_HTTPS,
          EngineSettings.ACCEPT_BATCH_ROWS,
          EngineSettings.ACCEPT_BATCH_BYTES,
          EngineSettings.ACCEPT_QUEUE_ROWS,
          EngineSettings.ACCEPT_QUEUE_BYTES,
          EngineSettings.IDEMPOTENCY_WINDOW,
          EngineSettings.IDEMPOTENCY_MAX_WINDOW,
          EngineSettings.INBOUND_CONCURRENT,
          EngineSettings.INBOUND_RATE,
          EngineSettings.RETENTION_REJECTED,
          EngineSettings.RETENTION_LIVE,
          EngineSettings.ALERT_LAG,
          EngineSettings.RETRY_SCHEDULE,
          EngineSettings.REQUEST_TIMEOUT,
          EngineSettings.EVENT_TTL,
          EngineSettings.MAX_IN_FLIGHT,
          EngineSettings.MAX_IN_FLIGHT_PER_ENDPOINT,
          EngineSettings.MAX_LEASED_BYTES,
          EngineSettings.APPLICATION_SHARE,
          EngineSettings.SEND_RATE,
          EngineSettings.MAX_ENDPOINTS,
          EngineSettings.MAX_RESPONSE,
          EngineSettings.EGRESS_PROXY,
          EngineSettings.EGRESS_NO_PROXY,
          EngineSettings.USER_AGENT,
          EngineSettings.SIGNATURE_HEADERS,
          EngineSettings.DEFAULT_SIGNATURE,
          EngineSettings.BREAKER_FAILURES,
          EngineSettings.BREAKER_SPAN,
          EngineSettings.BREAKER_COOLDOWN,
          EngineSettings.BREAKER_MAX_COOLDOWN,
          EngineSettings.BREAKER_SUCCESSES,
          EngineSettings.BREAKER_COUNT_4XX,
          EngineSettings.DISABLE_AFTER,
          ServerSettings.HEARTBEAT,
          ServerSettings.DEAD_AFTER,
          ServerSettings.SHARD_GROUPS,
          EngineSettings.RETENTION_DELIVERED,
          EngineSettings.RETENTION_DEAD_LETTERS,
          EngineSettings.RETENTION_UNROUTED,
          EngineSettings.RETENTION_AUDIT,
          EngineSettings.RETENTION_TIME,
          ServerSettings.LOG_LEVEL,
          ServerSettings.LOG_FORMAT,
          ServerSettings.CONFIG,
          ServerSettings.ENV,
          ServerSettings.CONFIG_POLL_INTERVAL,
          ServerSettings.CONFIG_ALLOW_TARGETS,
          ServerSettings.CONFIG_TOKEN,
          ServerSettings.CONFIG_S3_ENDPOINT,
          ServerSettings.CONFIG_S3_REGION,
          ServerSettings.CONFIG_S3_ACCESS_KEY,
          ServerSettings.CONFIG_S3_SECRET_KEY);

  private Settings() {}

  public static List<Setting<?>> all() {
    return ALL;
  }

  /** How messages of the engine name an option: by the setting that it is read from. */
  public static String nameOf(OptionNames.Option option) {
    Setting<?> setting =
        switch (option) {
          case ALLOW_TARGETS -> ServerSettings.ALLOW_TARGETS;
          case REQUIRE_HTTPS -> ServerSettings.REQUIRE_HTTPS;
          case EGRESS_PROXY -> EngineSettings.EGRESS_PROXY;
          case MASTER_KEY -> ServerSettings.MASTER_KEY;
          case MASTER_KEY_FILE -> ServerSettings.MASTER_KEY_FILE;
          case PREVIOUS_MASTER_KEY -> ServerSettings.MASTER_KEY_PREVIOUS;
          case DATABASE_URL -> ServerSettings.DATABASE_URL;
          case API_DATABASE_URL -> ServerSettings.API_DATABASE_URL;
          case DATABASE_SCHEMA -> ServerSettings.DATABASE_SCHEMA;
          case DATA_FOLDER -> ServerSettings.DATA_DIR;
        };
    return setting.variable();
  }
}
