package dev.postrider.testkit;

import dev.postrider.options.AcceptOptions;
import dev.postrider.options.BreakerOptions;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.MasterKeySource;
import dev.postrider.options.OptionNames;
import dev.postrider.options.RetentionOptions;
import dev.postrider.options.Role;
import dev.postrider.options.Secret;
import dev.postrider.options.SecurityOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The options of an engine of a test. A test sets them with texts such as {@code HEARTBEAT=100ms},
 * with the names and values of the server's settings. {@code env:VAULT_ADDR=…} sets a variable that
 * a key management service reads. The engine may send to the loopback interface.
 */
public final class TestOptions {
  private static final String OF_DATABASE = "DATABASE_";

  private TestOptions() {}

  /**
   * @param folder of the master key, which is created there if no other is set
   */
  public static EngineOptions engine(Path folder, String... settings) {
    return engine(folder, byName(settings));
  }

  /** The same from settings by name. */
  public static EngineOptions engine(Path folder, Map<String, String> settings) {
    Reader reader = new Reader(settings);
    EngineOptions options = reader.engine(folder);
    reader.unread.keySet().removeIf(name -> name.startsWith(OF_DATABASE));
    reader.checkNothingIsLeft();
    return options;
  }

  /** The database with the settings that begin with {@code DATABASE_}; SQLite has none of them. */
  public static DatabaseOptions database(DatabaseOptions database, String... settings) {
    if (!(database instanceof DatabaseOptions.Postgres server)) {
      return database;
    }
    Map<String, String> ofDatabase = byName(settings);
    ofDatabase.keySet().removeIf(name -> !name.startsWith(OF_DATABASE));
    Reader reader = new Reader(ofDatabase);
    DatabaseOptions options = reader.database(server);
    reader.checkNothingIsLeft();
    return options;
  }

  private static Map<String, String> byName(String... settings) {
    Map<String, String> byName = new HashMap<>();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      byName.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return byName;
  }

  private static final class Reader {
    private final Map<String, String> unread;

    Reader(Map<String, String> settings) {
      unread = new HashMap<>(settings);
    }

    void checkNothingIsLeft() {
      if (!unread.isEmpty()) {
        throw new IllegalArgumentException(
            "These settings are not known: " + unread.keySet() + ". Add them to TestOptions.");
      }
    }

    private <T> T read(String name, Function<String, T> parser, T otherwise) {
      String text = unread.remove(name);
      return text == null ? otherwise : parser.apply(text);
    }

    private int number(String name, int otherwise) {
      return read(name, Integer::valueOf, otherwise);
    }

    private Duration duration(String name, Duration otherwise) {
      return read(name, Reader::parseDuration, otherwise);
    }

    DatabaseOptions database(DatabaseOptions.Postgres server) {
      return new DatabaseOptions.Postgres(
          read(
              OF_DATABASE + "URL",
              url -> url.replace("postgres://postgres@", "jdbc:postgresql://"),
              server.jdbcUrl()),
          server.user(),
          server.password(),
          server.schema(),
          number(OF_DATABASE + "POOL_SIZE", server.poolSize()),
          server.connectTimeout(),
          duration(OF_DATABASE + "STATEMENT_TIMEOUT", server.statementTimeout()),
          server.apiPool());
    }

    EngineOptions engine(Path folder) {
      return new EngineOptions(
          read("ROLE", text -> Role.valueOf(text.toUpperCase(Locale.ROOT)), Role.ALL),
          AcceptOptions.defaults(),
          delivery(DeliveryOptions.defaults()),
          breaker(BreakerOptions.defaults()),
          instance(InstanceOptions.defaults()),
          RetentionOptions.defaults(),
          security(folder),
          OptionNames.OF_LIBRARY);
    }

    private DeliveryOptions delivery(DeliveryOptions defaults) {
      return new DeliveryOptions(
          read("RETRY_SCHEDULE", Reader::parseSchedule, defaults.retrySchedule()),
          duration("REQUEST_TIMEOUT", defaults.requestTimeout()),
          defaults.eventTtl(),
          limits(defaults.limits()),
          defaults.maxEndpoints(),
          defaults.maxResponseBytes(),
          read("EGRESS_PROXY", text -> Optional.of(parseProxy(text)), defaults.egressProxy()),
          defaults.egressNoProxy(),
          defaults.userAgent(),
          defaults.signatureHeaders(),
          defaults.defaultSignature());
    }

    private DeliveryOptions.Limits limits(DeliveryOptions.Limits defaults) {
      return new DeliveryOptions.Limits(
          number("MAX_IN_FLIGHT", defaults.maxInFlight()),
          number("MAX_IN_FLIGHT_PER_ENDPOINT", defaults.maxInFlightPerEndpoint()),
          read("MAX_LEASED_BYTES", Reader::parseBytes, defaults.maxLeasedBytes()),
          read("APPLICATION_SHARE", Double::valueOf, defaults.applicationShare()),
          defaults.sendRate());
    }

    private BreakerOptions breaker(BreakerOptions defaults) {
      return new BreakerOptions(
          number("BREAKER_FAILURES", defaults.failures()),
          duration("BREAKER_SPAN", defaults.span()),
          duration("BREAKER_COOLDOWN", defaults.cooldown()),
          duration("BREAKER_MAX_COOLDOWN", defaults.maxCooldown()),
          number("BREAKER_SUCCESSES", defaults.successes()),
          read("BREAKER_COUNT_4XX", Boolean::valueOf, defaults.countRejections()),
          read("DISABLE_AFTER", text -> Optional.of(parseDuration(text)), defaults.disableAfter()));
    }

    private InstanceOptions instance(InstanceOptions defaults) {
      return new InstanceOptions(
          defaults.name(),
          duration("HEARTBEAT", defaults.heartbeat()),
          duration("DEAD_AFTER", defaults.deadAfter()),
          number("SHARD_GROUPS", defaults.shardGroups()));
    }

    private SecurityOptions security(Path folder) {
      return new SecurityOptions(
          read(
              "MASTER_KEY",
              Reader::parseKey,
              new MasterKeySource.Generated(folder.resolve("master.key"))),
          read("MASTER_KEY_PREVIOUS", text -> Optional.of(parseKey(text)), Optional.empty()),
          List.of("127.0.0.0/8"),
          false,
          variables());
    }

    private Map<String, Secret> variables() {
      Map<String, Secret> variables = new HashMap<>();
      unread.forEach(
          (name, value) -> {
            if (name.startsWith("env:")) {
              variables.put(name.substring("env:".length()), new Secret(value));
            }
          });
      unread.keySet().removeIf(name -> name.startsWith("env:"));
      return variables;
    }

    private static MasterKeySource parseKey(String text) {
      return text.contains("://")
          ? new MasterKeySource.Kms(text)
          : new MasterKeySource.Text(new Secret(text));
    }

    private static EgressProxyOptions parseProxy(String text) {
      URI uri = URI.create(text);
      return new EgressProxyOptions(
          EgressProxyOptions.Kind.valueOf(uri.getScheme().toUpperCase(Locale.ROOT)),
          uri.getHost(),
          uri.getPort(),
          Optional.empty());
    }

    private static List<Duration> parseSchedule(String text) {
      return text.equals("none")
          ? List.of()
          : Stream.of(text.split(",")).map(Reader::parseDuration).toList();
    }

    private static long parseBytes(String text) {
      return text.endsWith("MB")
          ? Long.parseLong(text.substring(0, text.length() - 2)) << 20
          : Long.parseLong(text);
    }

    private static Duration parseDuration(String text) {
      int unit = text.replaceFirst("\\D+$", "").length();
      long number = Long.parseLong(text.substring(0, unit));
      return switch (text.substring(unit)) {
        case "ms" -> Duration.ofMillis(number);
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        case "h" -> Duration.ofHours(number);
        default -> throw new IllegalArgumentException("Not a duration with a unit: " + text);
      };
    }
  }
}
