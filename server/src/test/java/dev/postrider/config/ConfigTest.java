package dev.postrider.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.options.AcceptOptions;
import dev.postrider.options.BreakerOptions;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.MasterKeySource;
import dev.postrider.options.OptionNames;
import dev.postrider.options.RetentionOptions;
import dev.postrider.options.Role;
import dev.postrider.options.Secret;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ConfigTest {
  private static final String KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  private static final String POSTGRES = "postgres://ann:hunter2@db:5433/hooks";

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    Config config = Config.defaults();
    assertThat(config.role()).isEqualTo(Role.ALL);
    assertThat(config.server())
        .isEqualTo(
            new ServerConfig(
                "127.0.0.1",
                8080,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                1 << 20,
                Duration.ofSeconds(30),
                10_000,
                Optional.empty(),
                Optional.empty(),
                200,
                0));
    Path data = Path.of("./postrider-data");
    assertThat(config.storage().dataDir()).isEqualTo(data);
    assertThat(config.storage().database())
        .isEqualTo(new DatabaseUrl.Sqlite(data.resolve("postrider.db")));
    assertThat(config.storage().synchronous()).isEqualTo(StorageConfig.Synchronous.FULL);
    assertThat(config.security())
        .isEqualTo(
            new SecurityConfig(
                Optional.empty(),
                Optional.empty(),
                false,
                new MasterKeySource.Generated(data.resolve("master.key")),
                Optional.empty(),
                List.of(),
                true));
    assertThat(config.accept())
        .isEqualTo(
            new AcceptOptions(
                512, 4 << 20, 50_000, 64 << 20, Duration.ofHours(24), Duration.ofDays(7)));
    assertThat(config.delivery())
        .isEqualTo(
            new DeliveryOptions(
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
                new DeliveryOptions.Limits(20_000, 100, 64 << 20, 0.2, 0),
                1_000,
                10 * 1024,
                Optional.empty(),
                List.of(),
                "Postrider",
                DeliveryOptions.SignatureHeaders.WEBHOOK,
                DeliveryOptions.DefaultSignature.HMAC256));
    assertThat(config.breaker())
        .isEqualTo(
            new BreakerOptions(
                5,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofMinutes(5),
                1,
                false,
                Optional.of(Duration.ofDays(5))));
    assertThat(config.instance()).isEqualTo(InstanceOptions.defaults());
    assertThat(config.retention())
        .isEqualTo(
            new RetentionOptions(
                Duration.ofDays(30),
                Duration.ofDays(90),
                Duration.ofDays(30),
                Duration.ofDays(365),
                LocalTime.of(3, 0)));
    assertThat(config.log()).isEqualTo(new LogConfig(LogConfig.Level.INFO, LogConfig.Format.TEXT));
  }

  /** The engine as a library has the same defaults as the server. */
  @Test
  void theDefaultsAreThoseOfTheEngine() {
    Config config = Config.of(Map.of());
    assertThat(config.engine())
        .usingRecursiveComparison()
        .ignoringFields("names")
        .isEqualTo(EngineOptions.of(config.security().masterKey()));
  }

  /** An operator reads the name of a setting where the library names its option. */
  @Test
  void messagesOfTheEngineNameSettings() {
    OptionNames names = Config.of(Map.of()).engine().names();
    Set<String> settings =
        Settings.all().stream().map(Setting::variable).collect(Collectors.toSet());
    for (OptionNames.Option option : OptionNames.Option.values()) {
      assertThat(settings).contains(names.of(option));
    }
    assertThat(names.of(OptionNames.Option.ALLOW_TARGETS)).isEqualTo("POSTRIDER_ALLOW_TARGETS");
  }

  @Test
  void everySettingReachesItsRecord() {
    Config config =
        Config.of(
            Map.ofEntries(
                Map.entry("POSTRIDER_ROLE", "worker"),
                Map.entry("POSTRIDER_HOST", "::1"),
                Map.entry("POSTRIDER_PORT", "0"),
                Map.entry("POSTRIDER_PUBLIC_URL", "https://hooks.example.com/base/"),
                Map.entry("POSTRIDER_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
                Map.entry("POSTRIDER_TLS_CERT_FILE", "cert.pem"),
                Map.entry("POSTRIDER_TLS_KEY_FILE", "key.pem"),
                Map.entry("POSTRIDER_MAX_BODY", "2KB"),
                Map.entry("POSTRIDER_SERVER_TIMEOUT", "7s"),
                Map.entry("POSTRIDER_MAX_CONNECTIONS", "77"),
                Map.entry("POSTRIDER_ECHO", "off"),
                Map.entry("POSTRIDER_DATA_DIR", "/data"),
                Map.entry("POSTRIDER_DATABASE_URL", POSTGRES),
                Map.entry("POSTRIDER_DATABASE_SCHEMA", "hooks"),
                Map.entry("POSTRIDER_DATABASE_POOL_SIZE", "3"),
                Map.entry("POSTRIDER_DATABASE_CONNECT_TIMEOUT", "2s"),
                Map.entry("POSTRIDER_DATABASE_STATEMENT_TIMEOUT", "4s"),
                Map.entry("POSTRIDER_SQLITE_SYNCHRONOUS", "NORMAL"),
                Map.entry("POSTRIDER_API_KEY", "sk_0123456789abcdef"),
                Map.entry("POSTRIDER_JWT_SECRET", "short"),
                Map.entry("POSTRIDER_JWT_WITHOUT_EXPIRY", "true"),
                Map.entry("POSTRIDER_MASTER_KEY", KEY),
                Map.entry("POSTRIDER_MASTER_KEY_PREVIOUS", KEY),
                Map.entry("POSTRIDER_MANAGEMENT_RATE", "18"),
                Map.entry("POSTRIDER_METRICS_TOKEN", "scrape_0123456789"),
                Map.entry("POSTRIDER_METRICS_LABELS", "19"),
                Map.entry("POSTRIDER_ALLOW_TARGETS", "127.0.0.1"),
                Map.entry("POSTRIDER_REQUIRE_HTTPS", "off"),
                Map.entry("POSTRIDER_ACCEPT_BATCH_ROWS", "11"),
                Map.entry("POSTRIDER_ACCEPT_BATCH_BYTES", "65KB"),
                Map.entry("POSTRIDER_ACCEPT_QUEUE_ROWS", "12"),
                Map.entry("POSTRIDER_ACCEPT_QUEUE_BYTES", "66KB"),
                Map.entry("POSTRIDER_IDEMPOTENCY_WINDOW", "1h"),
                Map.entry("POSTRIDER_IDEMPOTENCY_MAX_WINDOW", "2h"),
                Map.entry("POSTRIDER_INBOUND_CONCURRENT", "13"),
                Map.entry("POSTRIDER_INBOUND_RATE", "14"),
                Map.entry("POSTRIDER_RETENTION_REJECTED", "15h"),
                Map.entry("POSTRIDER_RETENTION_LIVE", "16h"),
                Map.entry("POSTRIDER_ALERT_LAG", "17s"),
                Map.entry("POSTRIDER_RETRY_SCHEDULE", "1s, 90s,24h"),
                Map.entry("POSTRIDER_REQUEST_TIMEOUT", "60s"),
                Map.entry("POSTRIDER_MAX_IN_FLIGHT", "21"),
                Map.entry("POSTRIDER_MAX_IN_FLIGHT_PER_ENDPOINT", "20"),
                Map.entry("POSTRIDER_APPLICATION_SHARE", "0.3"),
                Map.entry("POSTRIDER_SEND_RATE", "22"),
                Map.entry("POSTRIDER_EVENT_TTL", "5h"),
                Map.entry("POSTRIDER_MAX_LEASED_BYTES", "3MB"),
                Map.entry("POSTRIDER_MAX_ENDPOINTS", "23"),
                Map.entry("POSTRIDER_MAX_RESPONSE", "0"),
                Map.entry("POSTRIDER_EGRESS_PROXY", "http://me:p%40ss@proxy:3128"),
                Map.entry("POSTRIDER_EGRESS_NO_PROXY", "hooks.internal, .cluster.local,10.0.0.0/8"),
                Map.entry("POSTRIDER_USER_AGENT", "Acme Hooks/2"),
                Map.entry("POSTRIDER_SIGNATURE_HEADERS", "both"),
                Map.entry("POSTRIDER_DEFAULT_SIGNATURE", "ed25519"),
                Map.entry("POSTRIDER_BREAKER_FAILURES", "6"),
                Map.entry("POSTRIDER_BREAKER_SPAN", "0s"),
                Map.entry("POSTRIDER_BREAKER_COOLDOWN", "5m"),
                Map.entry("POSTRIDER_BREAKER_MAX_COOLDOWN", "6m"),
                Map.entry("POSTRIDER_BREAKER_SUCCESSES", "3"),
                Map.entry("POSTRIDER_BREAKER_COUNT_4XX", "true"),
                Map.entry("POSTRIDER_DISABLE_AFTER", "off"),
                Map.entry("POSTRIDER_HEARTBEAT", "500ms"),
                Map.entry("POSTRIDER_DEAD_AFTER", "2s"),
                Map.entry("POSTRIDER_RETENTION_DELIVERED", "12h"),
                Map.entry("POSTRIDER_RETENTION_DEAD_LETTERS", "2d"),
                Map.entry("POSTRIDER_RETENTION_UNROUTED", "3d"),
                Map.entry("POSTRIDER_RETENTION_AUDIT", "4d"),
                Map.entry("POSTRIDER_RETENTION_TIME", "22:30"),
                Map.entry("POSTRIDER_CONFIG", "hooks.yaml"),
                Map.entry("POSTRIDER_CONFIG_POLL_INTERVAL", "off"),
                Map.entry("POSTRIDER_CONFIG_ALLOW_TARGETS", "10.0.0.1"),
                Map.entry("POSTRIDER_CONFIG_TOKEN", "t0ken"),
                Map.entry("POSTRIDER_CONFIG_S3_ENDPOINT", "https://s3.example.com/"),
                Map.entry("POSTRIDER_CONFIG_S3_REGION", "eu-west-1"),
                Map.entry("POSTRIDER_CONFIG_S3_ACCESS_KEY", "id"),
                Map.entry("POSTRIDER_CONFIG_S3_SECRET_KEY", "key"),
                Map.entry("POSTRIDER_ENV", "staging"),
                Map.entry("POSTRIDER_LOG_LEVEL", "debug"),
                Map.entry("POSTRIDER_LOG_FORMAT", "json")));
    assertThat(config)
        .isEqualTo(
            new Config(
                Role.WORKER,
                new ServerConfig(
                    "::1",
                    0,
                    Optional.of(URI.create("https://hooks.example.com/base")),
                    List.of("10.0.0.0/8", "::1"),
                    Optional.of(new ServerConfig.Tls(Path.of("cert.pem"), Path.of("key.pem"))),
                    2048,
                    Duration.ofSeconds(7),
                    77,
                    Optional.of(false),
                    Optional.of(new Secret("scrape_0123456789")),
                    19,
                    18),
                new StorageConfig(
                    new DatabaseUrl.Postgres(
                        "jdbc:postgresql://db:5433/hooks", "ann", new Secret("hunter2"), "hooks"),
                    Path.of("/data"),
                    new StorageConfig.Pool(
                        3, Duration.ofSeconds(2), Duration.ofSeconds(4), Optional.empty()),
                    StorageConfig.Synchronous.NORMAL),
                new SecurityConfig(
                    Optional.of(new Secret("sk_0123456789abcdef")),
                    Optional.of(new Secret("short")),
                    true,
                    new MasterKeySource.Text(new Secret(KEY)),
                    Optional.of(new Secret(KEY)),
                    List.of("127.0.0.1"),
                    false),
                new AcceptOptions(
                    11, 65 * 1024, 12, 66 * 1024, Duration.ofHours(1), Duration.ofHours(2)),
                new InboundConfig(
                    13, 14, Duration.ofHours(15), Duration.ofHours(16), Duration.ofSeconds(17)),
                new DeliveryOptions(
                    List.of(Duration.ofSeconds(1), Duration.ofSeconds(90), Duration.ofHours(24)),
                    Duration.ofSeconds(60),
                    Optional.of(Duration.ofHours(5)),
                    new DeliveryOptions.Limits(21, 20, 3 << 20, 0.3, 22),
                    23,
                    0,
                    Optional.of(
                        new EgressProxyOptions(
                            EgressProxyOptions.Kind.HTTP,
                            "proxy",
                            3128,
                            Optional.of(new EgressProxyOptions.Login("me", new Secret("p@ss"))))),
                    List.of("hooks.internal", ".cluster.local", "10.0.0.0/8"),
                    "Acme Hooks/2",
                    DeliveryOptions.SignatureHeaders.BOTH,
                    DeliveryOptions.DefaultSignature.ED25519),
                new BreakerOptions(
                    6,
                    Duration.ZERO,
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(6),
                    3,
                    true,
                    Optional.empty()),
                new InstanceOptions("localhost", Duration.ofMillis(500), Duration.ofSeconds(2), 1),
                new RetentionOptions(
                    Duration.ofHours(12),
                    Duration.ofDays(2),
                    Duration.ofDays(3),
                    Duration.ofDays(4),
                    LocalTime.of(22, 30)),
                new LogConfig(LogConfig.Level.DEBUG, LogConfig.Format.JSON),
                new FileConfig(
                    Optional.of(new FileLocation.Local(Path.of("hooks.yaml"))),
                    Optional.of("staging"),
                    Map.of(),
                    new FileConfig.Fetching(
                        Optional.empty(),
                        List.of("127.0.0.0/8", "::1/128", "127.0.0.1", "10.0.0.1"),
                        Optional.of(new Secret("t0ken")),
                        new FileConfig.Fetching.S3(
                            Optional.of(URI.create("https://s3.example.com")),
                            "eu-west-1",
                            Map.of(
                                "AWS_ACCESS_KEY_ID",
                                new Secret("id"),
                                "AWS_SECRET_ACCESS_KEY",
                                new Secret("key"))),
                        config.delivery().egressProxy(),
                        config.delivery().egressNoProxy(),
                        Path.of("/data")))));
    assertThat(config.retryScheduleText()).isEqualTo("1s,90s,24h");
  }

  @Test
  void aFlagWinsOverItsVariableAndTheVariableOverTheDefault() {
    Map<String, String> environment = Map.of("POSTRIDER_PORT", "1");
    assertThat(Config.of(environment).server().port()).isEqualTo(1);
    assertThat(Config.of(environment, Map.of("--port", "2")).server().port()).isEqualTo(2);
  }

  @Test
  void anEmptyVariableCountsAsNotSet() {
    assertThat(Config.of(Map.of("POSTRIDER_PORT", " ")).server().port()).isEqualTo(8080);
  }

  @Test
  void allProblemsAreReportedAtOnce() {
    assertThatThrownBy(
            () ->
                Config.of(
                    Map.of("POSTRIDER_PORT", "70000", "POSTRIDER_PROT", "1"),
                    Map.of("--log-levle", "info")))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .containsExactly(
                        "Unknown environment variable POSTRIDER_PROT. Did you mean POSTRIDER_PORT?"
                            + " See: postrider help config",
                        "Unknown flag --log-levle. Did you mean --log-level?"
                            + " See: postrider help config",
                        "POSTRIDER_PORT (--port) is \"70000\": must be a whole number from 0 to"
                            + " 65535. Example: POSTRIDER_PORT=8080"));
  }

  @Test
  void problemsBetweenSettingsAreReportedAtOnceToo() {
    refused(
        Map.of("POSTRIDER_TLS_CERT_FILE", "x", "POSTRIDER_HEARTBEAT", "10s"),
        "POSTRIDER_TLS_KEY_FILE",
        "POSTRIDER_DEAD_AFTER must be at least 3 times POSTRIDER_HEARTBEAT");
  }

  @Test
  void oneSettingRaisesTheBodyLimit() {
    Config config = Config.of(Map.of("POSTRIDER_MAX_BODY", "25MB"));
    assertThat(config.accept().batchBytes()).isEqualTo(config.server().maxBodyBytes());
    assertThat(Config.defaults().accept().batchBytes()).isEqualTo(4 * 1024 * 1024);
  }

  @Test
  void valuesThatDoNotFitTogetherAreRefused() {
    refused(
        Map.of("POSTRIDER_MASTER_KEY", KEY, "POSTRIDER_MASTER_KEY_FILE", "f"),
        "Only one of POSTRIDER_MASTER_KEY and POSTRIDER_MASTER_KEY_FILE");
    refused(
        Map.of("POSTRIDER_ACCEPT_BATCH_ROWS", "100", "POSTRIDER_ACCEPT_QUEUE_ROWS", "99"),
        "POSTRIDER_ACCEPT_BATCH_ROWS must not be more than POSTRIDER_ACCEPT_QUEUE_ROWS");
    refused(
        Map.of("POSTRIDER_ACCEPT_BATCH_BYTES", "65MB"),
        "POSTRIDER_ACCEPT_BATCH_BYTES must not be more than POSTRIDER_ACCEPT_QUEUE_BYTES");
    refused(
        Map.of("POSTRIDER_MAX_BODY", "5MB", "POSTRIDER_ACCEPT_BATCH_BYTES", "4MB"),
        "POSTRIDER_MAX_BODY must not be more than POSTRIDER_ACCEPT_BATCH_BYTES");
    refused(
        Map.of("POSTRIDER_MAX_BODY", "9MB", "POSTRIDER_ACCEPT_QUEUE_BYTES", "8MB"),
        "POSTRIDER_MAX_BODY must not be more than POSTRIDER_ACCEPT_QUEUE_BYTES");
    refused(
        Map.of("POSTRIDER_MAX_BODY", "2MB", "POSTRIDER_MAX_LEASED_BYTES", "1MB"),
        "POSTRIDER_MAX_BODY must not be more than POSTRIDER_MAX_LEASED_BYTES");
    refused(
        Map.of("POSTRIDER_MAX_IN_FLIGHT", "99"),
        "POSTRIDER_MAX_IN_FLIGHT_PER_ENDPOINT must not be more than POSTRIDER_MAX_IN_FLIGHT");
    refused(
        Map.of("POSTRIDER_BREAKER_COOLDOWN", "6m"),
        "POSTRIDER_BREAKER_COOLDOWN must not be more than POSTRIDER_BREAKER_MAX_COOLDOWN");
    refused(Map.of("POSTRIDER_ROLE", "api"), "POSTRIDER_ROLE", "postgres:// URL");
  }

  @Test
  void kubernetesServiceLinksAreForgivenExceptForThePort() {
    assertThat(
            Config.of(
                    Map.of(
                        "POSTRIDER_SERVICE_HOST", "10.0.0.1",
                        "POSTRIDER_SERVICE_PORT_HTTP", "80",
                        "POSTRIDER_PORT_80_TCP_ADDR", "10.0.0.1"))
                .server()
                .port())
        .isEqualTo(8080);
    refused(Map.of("POSTRIDER_PORT", "tcp://10.0.0.1:80"), "enableServiceLinks: false");
  }

  @Test
  void theLauncherMayHaveVariablesOfItsOwn() {
    assertThat(Config.of(Map.of("POSTRIDER_JAVA_OPTS", "-Xmx1g"))).isEqualTo(Config.defaults());
  }

  @Test
  void aMasterKeyMayLiveInAFileOrInAKeyManagementService() {
    assertThat(Config.of(Map.of("POSTRIDER_MASTER_KEY_FILE", "/run/key")).security().masterKey())
        .isEqualTo(new MasterKeySource.File(Path.of("/run/key")));
    assertThat(Config.of(Map.of("POSTRIDER_MASTER_KEY", "aws-kms://arn:x")).security().masterKey())
        .isEqualTo(new MasterKeySource.Kms("aws-kms://arn:x"));
  }

  @Test
  void secretsAreShownNowhere() {
    Config config =
        Config.of(
            Map.of(
                "POSTRIDER_DATABASE_URL",
                POSTGRES,
                "POSTRIDER_API_KEY",
                "sk_0123456789abcdef",
                "POSTRIDER_MASTER_KEY",
                KEY,
                "POSTRIDER_EGRESS_PROXY",
                "http://me:swordfish@proxy:3128"));
    assertThat(config.toString() + config.summary())
        .doesNotContain("hunter2", "0123456789abcdef", KEY, "swordfish")
        .contains("********", "jdbc:postgresql://db:5433/hooks");
  }

  @Test
  void errorsDoNotRepeatSecrets() {
    for (String variable :
        List.of(
            "POSTRIDER_DATABASE_URL",
            "POSTRIDER_API_KEY",
            "POSTRIDER_MASTER_KEY",
            "POSTRIDER_EGRESS_PROXY")) {
      for (String text : List.of("hun ter2", "postgres://u:hun%zzter2@h/d", "http://u:hunter2@h")) {
        assertThatThrownBy(() -> Config.of(Map.of(variable, text)))
            .as(variable + " " + text)
            .isInstanceOf(ConfigException.class)
            .hasMessageContaining(variable)
            .hasMessageNotContainingAny("hun", "ter2", "zz");
      }
    }
  }

  @Test
  void recordsCheckThemselvesWithoutText() {
    assertThatThrownBy(
            () -> new InstanceOptions("a", Duration.ofSeconds(2), Duration.ofSeconds(5), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("deadAfter must be at least 3 times heartbeat");
    assertThatThrownBy(
            () ->
                new SecurityConfig(
                    Optional.of(new Secret("short")),
                    Optional.empty(),
                    false,
                    new MasterKeySource.Kms("aws-kms://x"),
                    Optional.empty(),
                    List.of(),
                    true))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("POSTRIDER_API_KEY");
  }

  private static void refused(Map<String, String> environment, String... parts) {
    assertThatThrownBy(() -> Config.of(environment))
        .isInstanceOf(ConfigException.class)
        .hasMessageContainingAll(parts);
  }
}
