package dev.postrider.testkit;

import static dev.postrider.testkit.builder.MessageBuilder.aMessage;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.rowless.Rowless;
import dev.postrider.delivery.rowless.RowlessReader;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.signature.HmacKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.Environment;
import dev.postrider.time.SystemTime;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Whole engines for tests, on either database, with what a test needs to send and to look. */
public final class Engines implements AutoCloseable {
  private final Databases.Kind kind;
  private final Path folder;
  private final Supplier<DatabaseOptions.Postgres> postgres;
  private final List<TestEngine> running = new ArrayList<>();
  private final SecureRandom random = new SecureRandom();
  private final Signals signals;

  public Engines(Databases.Kind kind, Path folder) {
    this(kind, folder, new Signals());
  }

  /** Engines that signal there, as other fixtures of the test do. */
  public Engines(Databases.Kind kind, Path folder, Signals signals) {
    String schema = Databases.freshSchema();
    this(kind, folder, () -> Databases.settings(schema), signals);
  }

  private Engines(
      Databases.Kind kind,
      Path folder,
      Supplier<DatabaseOptions.Postgres> postgres,
      Signals signals) {
    this.kind = kind;
    this.folder = folder;
    this.postgres = postgres;
    this.signals = signals;
  }

  /** On a PostgreSQL database that no other test uses. */
  public static Engines alone(Path folder) {
    return alone(folder, new Signals());
  }

  /** The same, with engines that signal there. */
  public static Engines alone(Path folder, Signals signals) {
    DatabaseOptions.Postgres settings = Databases.settingsAlone();
    return new Engines(Databases.Kind.POSTGRES, folder, () -> settings, signals);
  }

  /** On PostgreSQL, connected as these options say. */
  public static Engines on(DatabaseOptions.Postgres settings, Path folder, Signals signals) {
    return new Engines(Databases.Kind.POSTGRES, folder, () -> settings, signals);
  }

  /** On a PostgreSQL server that the test has started. */
  public static Engines on(EmbeddedPostgres server, Path folder) {
    DatabaseOptions.Postgres settings = Databases.settings(server);
    return new Engines(Databases.Kind.POSTGRES, folder, () -> settings, new Signals());
  }

  /** A started engine; each further one on PostgreSQL is another instance on the same schema. */
  public TestEngine start(String... settings) {
    return start(DeliveryListener.NONE, settings);
  }

  public TestEngine start(DeliveryListener listener, String... settings) {
    return start(listener, new SystemTime(), settings);
  }

  /** An engine whose machine has a clock of its own. */
  public TestEngine start(SystemTime time, String... settings) {
    return start(DeliveryListener.NONE, time, settings);
  }

  private TestEngine start(DeliveryListener listener, SystemTime time, String... settings) {
    TestEngine engine =
        TestEngine.open(
            TestOptions.database(database(), settings),
            TestOptions.engine(folder, settings),
            listener,
            time);
    engine.signal(signals);
    engine.start();
    running.add(engine);
    return engine;
  }

  /** Waits until the condition holds; fails after 60 s. */
  public void await(String what, BooleanSupplier condition) {
    signals.await(what, condition);
  }

  /** The database of these engines. */
  public DatabaseOptions database() {
    return switch (kind) {
      case SQLITE -> new DatabaseOptions.Sqlite(folder.resolve("postrider.db"), false);
      case POSTGRES -> postgres.get();
    };
  }

  public static ApplicationStore applications(TestEngine engine) {
    return new ApplicationStore(engine.database(), engine.ids(), engine.time(), engine.events());
  }

  public Application application(TestEngine engine, String uid) {
    return application(engine, ApplicationSpec.named(uid, uid));
  }

  public Application application(TestEngine engine, ApplicationSpec spec) {
    return applications(engine).createOrGet(Environment.DEFAULT_ID, spec).value();
  }

  public Endpoint endpoint(TestEngine engine, Application application, String url) {
    return endpoint(engine, application, EndpointSpec.of(url));
  }

  public Endpoint endpoint(TestEngine engine, Application application, EndpointSpec spec) {
    return Objects.requireNonNull(
        engine
            .endpoints()
            .create(application, new NewEndpoint(spec, HmacKey.generate(random), Map.of())));
  }

  public static NewMessage message(Application application, String payload) {
    return message(application, payload, null);
  }

  public static NewMessage message(
      Application application, String payload, @Nullable Long deliverAtMs) {
    return aMessage(application).payload(payload).deliverAtMs(deliverAtMs).build();
  }

  /** Sends and returns the message's id; fails if it was not accepted. */
  public static Id send(TestEngine engine, Application application, String payload) {
    return send(engine, message(application, payload));
  }

  /** The same with a message of the caller's. */
  public static Id send(TestEngine engine, NewMessage message) {
    AcceptResult result = engine.acceptor().accept(message);
    if (result instanceof AcceptResult.Accepted accepted) {
      return accepted.messageId().value();
    }
    throw new AssertionError("not accepted: " + result);
  }

  /**
   * Inserts that many messages with one waiting delivery each to every one of these lanes, past the
   * accepting path.
   */
  public static void backlog(
      TestEngine engine, Application application, List<Id> lanes, int messages, int payloadBytes) {
    boolean sqlite = engine.database().dialect() == Dialect.SQLITE;
    String series =
        sqlite
            ? "(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < :n) SELECT"
                + " i FROM s) AS s"
            : "generate_series(1, :n) AS s(i)";
    // In PostgreSQL of one day: each day has a partition.
    String newId =
        sqlite
            ? "randomblob(16)"
            : "overlay(gen_random_uuid()::text PLACING left('%s', 8) FROM 1 FOR 8)::uuid"
                .formatted(engine.ids().next().uuid());
    String type = "backlog." + engine.ids().next();
    byte[] payload = new byte[payloadBytes];
    Arrays.fill(payload, (byte) ' ');
    payload[0] = '{';
    payload[payloadBytes - 1] = '}';
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "INSERT INTO messages (application_id, id, event_type, payload) SELECT :app, "
                          + newId
                          + ", :type, :payload FROM "
                          + series)
                  .bind("app", application.id())
                  .bind("type", type)
                  .bind("payload", payload)
                  .bind("n", messages)
                  .execute();
              for (Id lane : lanes) {
                handle
                    .createUpdate(
                        "INSERT INTO deliveries (application_id, id, message_id, lane_id, status,"
                            + " next_attempt_at, created_at) SELECT application_id, "
                            + newId
                            + StoredCodes.sql(
                                ", id, :lane, {PENDING}, :now, :now FROM messages WHERE"
                                    + " application_id = :app AND event_type = :type"))
                    .bind("app", application.id())
                    .bind("type", type)
                    .bind("lane", lane)
                    .bind("now", engine.time().nowMs() - 1)
                    .execute();
              }
              return null;
            });
  }

  public static int sql(TestEngine engine, String statement) {
    return engine.database().write(handle -> handle.createUpdate(statement).execute());
  }

  public static LaneView lane(TestEngine engine, Id laneId) {
    return engine.deliveries().lanes().read(List.of(laneId)).getFirst();
  }

  public static long number(TestEngine engine, String query) {
    return engine.database().read(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  /** A delivery's row. */
  public record Row(
      Id id,
      Id messageId,
      Id laneId,
      DeliveryStatus status,
      int attempts,
      int leaseVersion,
      Long nextAttemptAt,
      String reason) {
    private static Row of(Rowless one) {
      boolean delivered = one.deliveredAtMs() != null;
      return new Row(
          one.id(),
          one.messageId(),
          one.laneId(),
          delivered ? DeliveryStatus.DELIVERED : DeliveryStatus.SENDING,
          delivered ? 1 : 0,
          1,
          null,
          one.cancelRequested() ? EndReason.CANCEL_REQUESTED.text() : null);
    }
  }

  /** Of all deliveries, also of those without a row. */
  public static List<Row> deliveries(TestEngine engine) {
    Database database = engine.database();
    return database.snapshot(
        handle -> {
          Stream<Row> rows =
              handle
                  .createQuery(
                      "SELECT id, message_id, lane_id, status, attempts, lease_version,"
                          + " next_attempt_at, reason FROM deliveries")
                  .map(
                      (row, context) ->
                          new Row(
                              database.dialect().readPresent(row, 1),
                              database.dialect().readPresent(row, 2),
                              database.dialect().readPresent(row, 3),
                              DeliveryStatus.of(row.getInt(4)),
                              row.getInt(5),
                              row.getInt(6),
                              row.getObject(7) == null ? null : Long.valueOf(row.getLong(7)),
                              row.getString(8)))
                  .stream();
          return Stream.concat(rows, rowless(handle, database).stream().map(Row::of))
              .sorted(Comparator.comparing(Row::id))
              .toList();
        });
  }

  private static List<Rowless> rowless(Handle handle, Database database) {
    RowlessReader reader = new RowlessReader(database.dialect());
    return handle
        .createQuery("SELECT application_id, id FROM messages WHERE targets IS NOT NULL")
        .map(
            (row, context) ->
                Map.entry(
                    database.dialect().readPresent(row, 1), database.dialect().readPresent(row, 2)))
        .stream()
        .collect(
            Collectors.groupingBy(
                Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())))
        .entrySet()
        .stream()
        .flatMap(one -> reader.ofMessages(handle, one.getKey(), one.getValue()).stream())
        .toList();
  }

  /** How many deliveries have one of these statuses. */
  public static long count(TestEngine engine, DeliveryStatus... statuses) {
    return countIf(engine, "IN (" + codes(statuses) + ")", List.of(statuses)::contains);
  }

  /** How many deliveries have none of these statuses. */
  public static long countNot(TestEngine engine, DeliveryStatus... statuses) {
    return countIf(
        engine, "NOT IN (" + codes(statuses) + ")", status -> !List.of(statuses).contains(status));
  }

  private static long countIf(
      TestEngine engine, String condition, Predicate<DeliveryStatus> counted) {
    return engine
        .database()
        .snapshot(
            handle ->
                handle
                        .createQuery("SELECT count(*) FROM deliveries WHERE status " + condition)
                        .mapTo(Long.class)
                        .one()
                    + rowless(handle, engine.database()).stream()
                        .filter(one -> counted.test(Row.of(one).status()))
                        .count());
  }

  /** How many attempts were made. */
  public static long attempts(TestEngine engine) {
    return number(
        engine, "SELECT count(*) FROM attempts WHERE outcome <> " + OutcomeClass.VOID.code());
  }

  /** How many attempts had that outcome. */
  public static long attempts(TestEngine engine, OutcomeClass outcome) {
    return number(engine, "SELECT count(*) FROM attempts WHERE outcome = " + outcome.code());
  }

  private static String codes(DeliveryStatus... statuses) {
    return Stream.of(statuses)
        .map(status -> Integer.toString(status.code()))
        .collect(Collectors.joining(", "));
  }

  public static long count(TestEngine engine, String table) {
    return engine
        .database()
        .read(
            handle -> handle.createQuery("SELECT count(*) FROM " + table).mapTo(Long.class).one());
  }

  /** The database alone, without an engine. */
  public Database reopen() {
    return switch (kind) {
      case SQLITE -> {
        SqliteDatabase database =
            new SqliteDatabase(folder.resolve("postrider.db"), false, System::currentTimeMillis);
        database.start();
        yield database;
      }
      case POSTGRES -> {
        PostgresDatabase database = new PostgresDatabase(postgres.get());
        database.start();
        yield database;
      }
    };
  }

  /** The engine has been ended in another way. */
  public void forget(TestEngine engine) {
    running.remove(engine);
  }

  public void stop(TestEngine engine) {
    running.remove(engine);
    engine.close();
  }

  @Override
  public void close() {
    List.copyOf(running).forEach(this::stop);
  }
}
