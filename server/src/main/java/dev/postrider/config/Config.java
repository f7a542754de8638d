package dev.postrider.config;

import dev.postrider.options.AcceptOptions;
import dev.postrider.options.BreakerOptions;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.RetentionOptions;
import dev.postrider.options.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The validated settings. Build it with {@link #of(Map)} or record by record. */
public record Config(
    Role role,
    ServerConfig server,
    StorageConfig storage,
    SecurityConfig security,
    AcceptOptions accept,
    InboundConfig inbound,
    DeliveryOptions delivery,
    BreakerOptions breaker,
    InstanceOptions instance,
    RetentionOptions retention,
    LogConfig log,
    FileConfig file) {

  public Config {
    Checks.notAbove(
        ServerSettings.MAX_BODY,
        server.maxBodyBytes(),
        EngineSettings.ACCEPT_BATCH_BYTES,
        accept.batchBytes());
    Checks.notAbove(
        ServerSettings.MAX_BODY,
        server.maxBodyBytes(),
        EngineSettings.MAX_LEASED_BYTES,
        delivery.limits().maxLeasedBytes());
    if (role != Role.ALL && storage.database() instanceof DatabaseUrl.Sqlite) {
      throw new ConfigException(
          ServerSettings.ROLE.variable()
              + " splits the work between instances, which SQLite does not support: remove it, or"
              + " set "
              + ServerSettings.DATABASE_URL.variable()
              + " to a postgres:// URL.");
    }
  }

  /** All defaults: SQLite in ./postrider-data. */
  public static Config defaults() {
    return of(Map.of());
  }

  /** From environment variables by name, such as {@code POSTRIDER_PORT}; others are ignored. */
  public static Config of(Map<String, String> environment) {
    return of(environment, Map.of());
  }

  /**
   * @param flags by spelling, such as {@code --port}; each wins over its variable
   * @throws ConfigException with every problem that was found
   */
  public static Config of(Map<String, String> environment, Map<String, String> flags) {
    return of(environment, flags, Map.of());
  }

  /**
   * @param file settings of the configuration file by variable; each other source wins over it
   * @throws ConfigException with every problem that was found
   */
  public static Config of(
      Map<String, String> environment, Map<String, String> flags, Map<String, String> file) {
    Values values = Values.resolve(environment, flags, file);
    Parts parts = new Parts(values);
    ServerConfig server = parts.build(ServerConfig::from);
    StorageConfig storage = parts.build(StorageConfig::from);
    SecurityConfig security = parts.build(known -> SecurityConfig.from(known, environment));
    AcceptOptions accept = parts.build(EngineOptionsReader::accept);
    DeliveryOptions delivery = parts.build(EngineOptionsReader::delivery);
    BreakerOptions breaker = parts.build(EngineOptionsReader::breaker);
    InstanceOptions instance =
        parts.build(known -> EngineOptionsReader.instance(known, environment));
    if (server == null
        || storage == null
        || security == null
        || accept == null
        || delivery == null
        || breaker == null
        || instance == null) {
      throw new ConfigException(parts.problems);
    }
    return new Config(
        values.get(ServerSettings.ROLE),
        server,
        storage,
        security,
        accept,
        InboundConfig.from(values),
        delivery,
        breaker,
        instance,
        EngineOptionsReader.retention(values),
        LogConfig.from(values),
        FileConfig.from(values, environment));
  }

  /** The text of the setting: {@code 5s,30s,2m}; empty for no retries. */
  public String retryScheduleText() {
    return delivery.retrySchedule().stream().map(Quantities::show).collect(Collectors.joining(","));
  }

  public Config withFile(FileConfig other) {
    return new Config(
        role, server, storage, security, accept, inbound, delivery, breaker, instance, retention,
        log, other);
  }

  /** The options of the engine. */
  public EngineOptions engine() {
    return new EngineOptions(
        role, accept, delivery, breaker, instance, retention, security.engine(), Settings::nameOf);
  }

  /** One line for the log at start; contains no secret. */
  public String summary() {
    return "role=%s listen=%s:%d tls=%s database=%s retries=%s timeout=%s in-flight-per-endpoint=%d in-flight=%d"
        .formatted(
            role.name().toLowerCase(Locale.ROOT),
            server.host(),
            server.port(),
            server.tls().isPresent() ? "on" : "off",
            storage.database(),
            retryScheduleText().isEmpty() ? "none" : retryScheduleText(),
            Quantities.show(delivery.requestTimeout()),
            delivery.limits().maxInFlightPerEndpoint(),
            delivery.limits().maxInFlight());
  }

  /**
   * Creates each configuration record and collects its errors, so that all errors are reported at
   * once.
   */
  private static final class Parts {
    private final Values values;
    private final List<String> problems = new ArrayList<>();

    Parts(Values values) {
      this.values = values;
    }

    <T> @Nullable T build(Function<Values, T> part) {
      try {
        return part.apply(values);
      } catch (ConfigException e) {
        problems.addAll(e.problems());
        return null;
      }
    }
  }
}
