package dev.postrider.engine;

import dev.postrider.engine.wiring.EngineRuntime;
import dev.postrider.options.AcceptOptions;
import dev.postrider.options.BreakerOptions;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.options.InstanceOptions;
import dev.postrider.options.MasterKeySource;
import dev.postrider.options.OptionNames;
import dev.postrider.options.RetentionOptions;
import dev.postrider.options.Role;
import dev.postrider.options.SecurityOptions;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Builds an {@link Engine}. A database is required; with a {@link DataSource} also a master key.
 */
public final class EngineBuilder {
  /**
   * How many connections of a given {@link DataSource} the engine holds from start to close:
   * accept, finish, finish-lanes, claim, heartbeat, listen and, from the first notification on,
   * notify. Other work borrows a few more for a short time, so the pool should have at least five
   * beyond these.
   */
  public static final int PERMANENT_CONNECTIONS = 7;

  private @Nullable DatabaseOptions database;
  private @Nullable MasterKeySource masterKey;
  private @Nullable EngineOptions whole;
  private Role role = Role.ALL;
  private AcceptOptions accept = AcceptOptions.defaults();
  private DeliveryOptions delivery = DeliveryOptions.defaults();
  private BreakerOptions breaker = BreakerOptions.defaults();
  private InstanceOptions instance = InstanceOptions.defaults();
  private RetentionOptions retention = RetentionOptions.defaults();
  private List<String> allowTargets = List.of();
  private boolean requireHttps = true;
  private @Nullable InstantSource clock;

  EngineBuilder() {}

  /**
   * A SQLite database in this folder, for this process alone. The master key is a file in the same
   * folder, generated at the first start, unless {@link #masterKey} sets another one.
   */
  public EngineBuilder sqlite(Path folder) {
    if (masterKey == null) {
      masterKey = new MasterKeySource.Generated(folder.resolve("master.key"));
    }
    return database(new DatabaseOptions.Sqlite(folder.resolve("postrider.db"), true));
  }

  /**
   * A PostgreSQL database, shared by any number of instances, in the schema {@code postrider}. The
   * engine holds {@link #PERMANENT_CONNECTIONS} connections permanently and never closes the data
   * source. It does not work through a transaction-pooling proxy.
   */
  public EngineBuilder dataSource(DataSource dataSource) {
    return dataSource(dataSource, DatabaseOptions.DEFAULT_SCHEMA);
  }

  public EngineBuilder dataSource(DataSource dataSource, String schema) {
    return database(new DatabaseOptions.Given(dataSource, schema));
  }

  public EngineBuilder database(DatabaseOptions options) {
    database = options;
    return this;
  }

  /** The master key, which encrypts all secrets; the same on every instance. */
  public EngineBuilder masterKey(MasterKeySource source) {
    masterKey = source;
    return this;
  }

  /** Whether this instance accepts, delivers, or both. */
  public EngineBuilder role(Role wanted) {
    role = wanted;
    return this;
  }

  public EngineBuilder accept(AcceptOptions options) {
    accept = options;
    return this;
  }

  public EngineBuilder delivery(DeliveryOptions options) {
    delivery = options;
    return this;
  }

  public EngineBuilder breaker(BreakerOptions options) {
    breaker = options;
    return this;
  }

  public EngineBuilder instance(InstanceOptions options) {
    instance = options;
    return this;
  }

  public EngineBuilder retention(RetentionOptions options) {
    retention = options;
    return this;
  }

  /**
   * Private addresses and CIDRs that are allowed as targets of deliveries, also with plain HTTP.
   */
  public EngineBuilder allowTargets(String... addresses) {
    allowTargets = List.of(addresses);
    return this;
  }

  /** Allows deliveries to public addresses without TLS. */
  public EngineBuilder allowPlainHttp() {
    requireHttps = false;
    return this;
  }

  /**
   * The wall clock to use instead of the machine's. It is read at each heartbeat; in between, time
   * advances by the monotonic clock. With PostgreSQL, the engine follows the clock of the database.
   */
  public EngineBuilder clock(InstantSource wallClock) {
    clock = wallClock;
    return this;
  }

  /** All options at once, instead of one by one. */
  public EngineBuilder options(EngineOptions options) {
    whole = options;
    return this;
  }

  /**
   * Opens the database and migrates its schema; nothing runs before {@link Engine#start}.
   *
   * @throws IllegalStateException if database or master key are missing
   */
  public Engine build() {
    if (database == null) {
      throw new IllegalStateException("set a database: sqlite(folder) or dataSource(…)");
    }
    SystemTime time = clock == null ? new SystemTime() : new SystemTime(clock::millis);
    return new Engine(EngineRuntime.open(database, whole == null ? collected() : whole, time));
  }

  private EngineOptions collected() {
    if (masterKey == null) {
      throw new IllegalStateException(
          "set the master key: masterKey(new MasterKeySource.File(…)) or another source");
    }
    return new EngineOptions(
        role,
        accept,
        delivery,
        breaker,
        instance,
        retention,
        new SecurityOptions(masterKey, Optional.empty(), allowTargets, requireHttps, Map.of()),
        OptionNames.OF_LIBRARY);
  }
}
