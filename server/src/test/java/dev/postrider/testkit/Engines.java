package dev.postrider.testkit;

import dev.postrider.app.Engine;
import dev.postrider.config.Config;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.signature.HmacKey;
import dev.postrider.storage.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.Environment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Whole engines for tests, on either database, with what a test needs to send and to look. */
public final class Engines implements AutoCloseable {
  private final Databases.Kind kind;
  private final Path folder;
  private final String schema = Databases.freshSchema();
  private final List<Engine> running = new ArrayList<>();
  private final SecureRandom random = new SecureRandom();

  public Engines(Databases.Kind kind, Path folder) {
    this.kind = kind;
    this.folder = folder;
  }

  /** A started engine; each further one on PostgreSQL is another instance on the same schema. */
  public Engine start(String... settings) {
    return start(DeliveryListener.NONE, settings);
  }

  public Engine start(DeliveryListener listener, String... settings) {
    Engine engine = Engine.open(Config.of(environment(settings)), listener);
    engine.start();
    running.add(engine);
    return engine;
  }

  private Map<String, String> environment(String... settings) {
    Map<String, String> environment = new HashMap<>();
    environment.put("POSTRIDER_DATA_DIR", folder.toString());
    environment.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    environment.put("POSTRIDER_REQUIRE_HTTPS", "false");
    environment.put("POSTRIDER_SQLITE_SYNCHRONOUS", "normal");
    if (kind == Databases.Kind.POSTGRES) {
      PostgresDatabase.Settings server = Databases.settings(schema);
      environment.put(
          "POSTRIDER_DATABASE_URL",
          server.jdbcUrl().replace("jdbc:postgresql://", "postgres://postgres@"));
      environment.put("POSTRIDER_DATABASE_SCHEMA", schema);
      environment.put("POSTRIDER_DATABASE_POOL_SIZE", "4");
    }
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      environment.put("POSTRIDER_" + setting.substring(0, equals), setting.substring(equals + 1));
    }
    return environment;
  }

  public Application application(Engine engine, String uid) {
    ApplicationStore store =
        new ApplicationStore(
            engine.database(), engine.ids(), engine.time(), engine.applicationListener());
    return store.createOrGet(Environment.DEFAULT_ID, ApplicationSpec.named(uid, uid)).value();
  }

  public Endpoint endpoint(Engine engine, Application application, String url) {
    return endpoint(engine, application, EndpointSpec.of(url));
  }

  public Endpoint endpoint(Engine engine, Application application, EndpointSpec spec) {
    return Objects.requireNonNull(
        engine
            .endpoints()
            .create(application, new NewEndpoint(spec, HmacKey.generate(random), Map.of())));
  }

  public static NewMessage message(Application application, String payload) {
    return new NewMessage(
        Environment.DEFAULT_ID,
        Objects.requireNonNull(application.spec().uid()),
        "invoice.paid",
        null,
        List.of(),
        List.of(),
        payload.getBytes(StandardCharsets.UTF_8),
        null,
        null,
        null,
        null,
        null);
  }

  /** Sends and returns the message's id; fails if it was not accepted. */
  public static Id send(Engine engine, Application application, String payload) {
    AcceptResult result = engine.acceptor().accept(message(application, payload));
    if (result instanceof AcceptResult.Accepted accepted) {
      return accepted.messageId();
    }
    throw new AssertionError("not accepted: " + result);
  }

  /** A delivery's row. */
  public record Row(
      Id id,
      Id messageId,
      Id laneId,
      int status,
      int attempts,
      int leaseVersion,
      Long nextAttemptAt,
      String reason) {}

  public static List<Row> deliveries(Engine engine) {
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id, message_id, lane_id, status, attempts, lease_version, next_attempt_at, reason FROM deliveries ORDER BY id")
                    .map(
                        (row, context) ->
                            new Row(
                                engine.database().dialect().readPresent(row, 1),
                                engine.database().dialect().readPresent(row, 2),
                                engine.database().dialect().readPresent(row, 3),
                                row.getInt(4),
                                row.getInt(5),
                                row.getInt(6),
                                row.getObject(7) == null ? null : Long.valueOf(row.getLong(7)),
                                row.getString(8)))
                    .list());
  }

  public static long count(Engine engine, String table) {
    return engine
        .database()
        .read(
            handle -> handle.createQuery("SELECT count(*) FROM " + table).mapTo(Long.class).one());
  }

  /**
   * Polls until the condition holds; fails after 20 s. For conditions in the database, which nobody
   * signals.
   */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within 20 s: " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  public void stop(Engine engine) {
    running.remove(engine);
    engine.close();
  }

  @Override
  public void close() {
    List.copyOf(running).forEach(this::stop);
  }
}
