package dev.postrider.storage;

import static dev.postrider.delivery.store.EnvironmentDeliveryReader.OPEN;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.AttemptFilter;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.DeliveryDetailReader;
import dev.postrider.delivery.store.DeliveryFilter;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.EnvironmentDeliveryReader;
import dev.postrider.delivery.store.EnvironmentDeliveryReader.Filter;
import dev.postrider.delivery.store.EnvironmentDeliveryReader.Listed;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.delivery.store.LaneStore;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.AttemptId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.MessageFilter;
import dev.postrider.message.MessageReader;
import dev.postrider.message.NewMessage;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.postgres.PostgresDedicatedConnection;
import dev.postrider.storage.sqlite.ObservedStatements;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** No statement of the engine reads more than it needs (engine rule 29). */
@Timeout(180)
class PlanTest {
  private static final int MESSAGES = 3_000;

  /** Tables that grow with the traffic. */
  static final List<String> GROWING =
      List.of(
          "messages", "deliveries", "attempts", "idempotency_0", "idempotency_long", "event_ids");

  /**
   * How many rows may be read of a table for each row that it holds; a quadratic plan reads
   * thousands.
   */
  private static final int READS_PER_ROW = 30;

  @TempDir Path folder;

  /** Counts without reading the tables that are to be measured. */
  static final class Delivered implements DeliveryListener {
    final AtomicInteger count = new AtomicInteger();

    @Override
    public void finished(Outcome outcome, Finish finish) {
      count.addAndGet(finish.status() == DeliveryStatus.DELIVERED ? 1 : 0);
    }
  }

  /** Accepts, delivers, retries, orders, throttles, redrives, rescues, lists and prunes. */
  private static void live(
      TestEngine engine, Engines engines, Receiver receiver, Delivered delivered, int messages)
      throws Exception {
    deliverAndList(engine, engines, receiver, delivered, messages);
    engine.pruner().pruneNow();
  }

  /** The same without pruning. */
  static void deliverAndList(
      TestEngine engine, Engines engines, Receiver receiver, Delivered delivered, int messages)
      throws Exception {
    receiver.behave(
        request ->
            Receiver.Answer.of(
                request.path().equals("/bad") && request.header("postrider-attempt").equals("1")
                    ? 500
                    : 200));
    Application acme = engines.application(engine, "acme");
    Endpoint good = engines.endpoint(engine, acme, receiver.url("/good"));
    Application other = engines.application(engine, "other");
    engines.endpoint(engine, other, receiver.url("/bad"));
    engines.endpoint(engine, other, EndpointSpec.of(receiver.url("/ordered")).with(ORDERED, true));
    engines.endpoint(
        engine, other, EndpointSpec.of(receiver.url("/throttled")).with(THROTTLE_RATE, 1_000));
    try (ExecutorService callers = Executors.newFixedThreadPool(16)) {
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        int n = i;
        sent.add(callers.submit(() -> send(engine, n % 50 == 0 ? other : acme, n)));
      }
      for (Future<?> one : sent) {
        one.get();
      }
    }
    int others = (messages + 49) / 50;
    engines.await("all delivered", () -> delivered.count.get() == messages - others + 3 * others);
    read(engine, acme, good);
  }

  private static void send(TestEngine engine, Application application, int n) {
    NewMessage message =
        aMessage(application)
            .type("a.b")
            .eventId(n % 3 == 0 ? "e-" + n : null)
            .channels("c")
            .tags("t")
            .payload(new byte[100])
            .key(new Id(4, n), new Id(5, n))
            .build();
    assertThat(engine.acceptor().accept(message)).isInstanceOf(AcceptResult.Accepted.class);
    if (n % 10 == 0) {
      assertThat(engine.acceptor().accept(message)).isInstanceOf(AcceptResult.Accepted.class);
    }
  }

  /** Every list, forwards and from the middle. */
  private static void read(TestEngine engine, Application acme, Endpoint good) {
    Database database = engine.database();
    MessageReader messages = new MessageReader(database);
    List<Id> ids =
        messages
            .list(
                acme.id(),
                new MessageFilter(null, null, List.of(), null, null),
                Keyset.first(20, false),
                true)
            .items()
            .stream()
            .map(m -> m.id().value())
            .toList();
    messages.list(
        acme.id(),
        new MessageFilter(
            "c",
            "t",
            List.of("a.b"),
            Instant.ofEpochMilli(Long.MAX_VALUE / 2),
            Instant.ofEpochMilli(0L)),
        new Keyset<>(20, ids.getLast(), false, false),
        false);
    messages.find(acme.id(), "e-3", true);
    AttemptReader attempts = new AttemptReader(database);
    AttemptFilter byLane =
        new AttemptFilter(null, good.id().value(), null, null, null, null, List.of(), null, null);
    List<Id> tries =
        attempts.list(acme.id(), byLane, Keyset.first(20, false)).items().stream()
            .map(a -> a.id())
            .toList();
    attempts.list(acme.id(), byLane, new Keyset<>(20, tries.getLast(), true, false));
    attempts.list(
        acme.id(),
        new AttemptFilter(null, good.id().value(), false, null, null, null, List.of(), null, null),
        Keyset.first(20, false));
    attempts.list(
        acme.id(),
        new AttemptFilter(
            new MessageId(ids.getFirst()), null, null, null, null, null, List.of(), null, null),
        Keyset.first(20, false));
    attempts.find(acme.id(), new MessageId(ids.getFirst()), new AttemptId(tries.getFirst()));
    new DeliveryReader(database).ofMessage(acme.id(), new MessageId(ids.getFirst()));
    database.read(
        handle -> new DeliveryReader(database).toLane(handle, acme.id(), good.id().value(), ids));
    deliveries(database, acme, good, ids);
    EnvironmentDeliveryReader everywhere = new EnvironmentDeliveryReader(database);
    Keyset<Id> older = new Keyset<>(20, DeliveryIds.last(ids.getFirst()), false, false);
    Instant early = Instant.EPOCH;
    for (Set<DeliveryStatus> statuses :
        List.of(OPEN, Set.of(DeliveryStatus.FAILED), Set.of(DeliveryStatus.DEAD_LETTER))) {
      everywhere.list(new Filter(Environment.DEFAULT_ID, statuses, null, null, null, early), older);
      everywhere.list(
          new Filter(Environment.DEFAULT_ID, statuses, null, "valid", null, early), older);
    }
    everywhere.list(
        new Filter(
            Environment.DEFAULT_ID,
            OPEN,
            "s",
            "valid",
            Instant.ofEpochMilli(Long.MAX_VALUE / 2),
            null),
        older);
    everywhere.totals(Environment.DEFAULT_ID);
    everywhere.totals(acme.id());
    List<Listed> some =
        new DeliveryReader(database)
            .ofMessage(acme.id(), new MessageId(ids.getFirst())).stream()
                .map(delivery -> new Listed(acme.id().value(), delivery))
                .toList();
    assertThat(new DeliveryDetailReader(database).of(some)).hasSize(some.size()).isNotEmpty();
    engine.deliveries().rescues().endedLeases(Set.of(), 0, 100);
    engine.deliveries().rescues().endedLeases(Set.of(engine.instance()), 0, 100);
    engine.deliveries().rescues().leasesOf(engine.instance(), 100);
    engine.deliveries().due().discover(LaneStore.LaneKey.FIRST, 100);
  }

  private static void deliveries(Database database, Application acme, Endpoint good, List<Id> ids) {
    DeliveryReader deliveries = new DeliveryReader(database);
    DeliveryFilter all = new DeliveryFilter(null, null, null, null, null);
    DeliveryFilter sending = new DeliveryFilter(DeliveryStatus.SENDING, null, null, null, null);
    Id middle = DeliveryIds.last(ids.getLast());
    deliveries.list(acme.id(), all, Keyset.first(20, false));
    deliveries.list(acme.id(), all, new Keyset<>(20, middle, false, false));
    deliveries.list(acme.id(), all, new Keyset<>(20, middle, false, true));
    deliveries.list(
        acme.id(), sending, new Keyset<>(20, DeliveryIds.first(ids.getFirst()), false, true));
    Id known = DeliveryIds.of(ids.getFirst(), good.id().value(), Id.ZERO);
    assertThat(deliveries.find(acme.id(), new DeliveryId(known))).isNotNull();
    assertThat(deliveries.find(acme.id(), new DeliveryId(middle))).isNull();
    new ReceivedReader(database)
        .list(
            acme.id(), new ReceivedReader.Filter(false, null, null, null), Keyset.first(20, false));
    LaneReader lanes = new LaneReader(database);
    lanes.health(acme.id(), good.id());
    lanes.onTheWay(acme.id(), good.id());
  }

  // ---- PostgreSQL: what it says it read ----

  private record Reads(long scanned, long byIndex) {
    Reads plus(Reads other) {
      return new Reads(scanned + other.scanned, byIndex + other.byIndex);
    }
  }

  /** The table that a partition belongs to. */
  private static String tableOf(String name) {
    return name.replaceFirst("_[0-9]{8}$", "");
  }

  /**
   * Tables that are empty when the plans are made and never analyzed, as on the first day. On a
   * server of its own: while a transaction of another test is open, even in another database, dead
   * index entries stay, and reading them again and again would count here.
   */
  @Test
  void onEmptyTablesOfPostgresNothingIsReadMoreOftenThanItsShare() throws Exception {
    try (EmbeddedPostgres server = Databases.server();
        Receiver receiver = new Receiver();
        Engines engines = Engines.on(server, folder)) {
      Delivered delivered = new Delivered();
      TestEngine engine = engines.start(delivered, "RETRY_SCHEDULE=0s,0s");
      engine
          .database()
          .write(
              handle -> {
                handle
                    .createQuery(
                        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace ="
                            + " current_schema()::regnamespace")
                    .mapTo(String.class)
                    .filter(table -> GROWING.contains(tableOf(table)))
                    .forEach(
                        table ->
                            handle.execute(
                                "ALTER TABLE " + table + " SET (autovacuum_enabled = false)"));
                return 0;
              });
      live(engine, engines, receiver, delivered, MESSAGES);
      engines.stop(engine); // a session tells its counts at the latest when it ends
      Map<String, Reads> reads = reads(engines);
      for (String table : GROWING) {
        Reads of = reads.getOrDefault(table, new Reads(0, 0));
        assertThat(of.byIndex())
            .as("%s by index: %s", table, reads)
            .isLessThan((long) READS_PER_ROW * MESSAGES);
        assertThat(of.scanned())
            .as("%s scanned: %s", table, reads)
            .isLessThan((long) READS_PER_ROW * MESSAGES);
      }
    }
  }

  private static Map<String, Reads> reads(Engines engines) {
    Map<String, Reads> reads = new HashMap<>();
    try (Database database = engines.reopen()) {
      database.read(
          handle ->
              handle
                  .createQuery(
                      """
                      SELECT t.relname, t.seq_tup_read, coalesce((SELECT sum(i.idx_tup_read)
                        FROM pg_stat_user_indexes i WHERE i.relid = t.relid), 0)
                      FROM pg_stat_user_tables t WHERE t.schemaname = current_schema()
                      """)
                  .map(
                      (row, context) -> {
                        String table = tableOf(row.getString(1));
                        reads.merge(table, new Reads(row.getLong(2), row.getLong(3)), Reads::plus);
                        return table;
                      })
                  .list());
    }
    return reads;
  }

  /** The hot statements as their sessions plan them, on tables with rows and statistics. */
  @Test
  void theHotStatementsOfPostgresScanNothing() throws Exception {
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.POSTGRES, folder)) {
      Delivered delivered = new Delivered();
      TestEngine engine = engines.start(delivered, "RETRY_SCHEDULE=0s,0s");
      live(engine, engines, receiver, delivered, 500);
      String schema =
          engine
              .database()
              .read(
                  handle ->
                      handle.createQuery("SELECT current_schema()").mapTo(String.class).one());
      DatabaseOptions.Postgres settings = Databases.settings(schema);
      try (Connection connection =
              DriverManager.getConnection(
                  settings.jdbcUrl() + "?preferQueryMode=simple&currentSchema=" + schema,
                  settings.user(),
                  null);
          Statement statement = connection.createStatement()) {
        statement.execute("ANALYZE");
        statement.execute("SET enable_seqscan = off"); // few rows stand for many
        String head = constant("dev.postrider.delivery.store.DueStore", "FIRST_IN_ORDER");
        assertThat(explain(statement, head.replace(":app", "?").replace(":lane", "?")))
            .contains("deliveries_place")
            .doesNotContain("Sort");
        for (String setting : PostgresDedicatedConnection.INDEX_PLANS) {
          statement.execute(setting);
        }
        for (String insert : List.of("INSERT", "INSERT_WITH_COPIES")) {
          for (String ofSlot : constants("dev.postrider.delivery.accept.PostgresAccept", insert)) {
            explain(statement, ofSlot);
          }
        }
        explain(statement, constant("dev.postrider.delivery.accept.PostgresAccept", "LOOK_UP"));
        for (String setting : PostgresDedicatedConnection.NESTED_LOOPS) {
          statement.execute(setting);
        }
        for (String hot : List.of("FINISH", "CLAIM")) {
          assertThat(
                  explain(
                      statement, constant("dev.postrider.delivery.store.PostgresStatements", hot)))
              .as("only lists use the index of lists")
              .doesNotContain("deliveries_open");
        }
      }
    }
  }

  /**
   * The plan is kept while the table grows: deliveries has few rows until many first attempts fail.
   */
  @Test
  void aTableWithFewRowsIsNotPlannedAsAScan() throws Exception {
    String schema = Databases.freshSchema();
    DatabaseOptions.Postgres settings = Databases.settings(schema);
    try (PostgresDatabase database = new PostgresDatabase(settings)) {
      database.start();
      database.migrate();
      database.write(
          handle ->
              handle.execute(
                  StoredCodes.sql(
                      """
                      INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, created_at)
                      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), {SENDING}, 1, 1 FROM generate_series(1, 3)
                      """)));
      try (Connection connection =
              DriverManager.getConnection(
                  settings.jdbcUrl() + "?preferQueryMode=simple&currentSchema=" + schema,
                  settings.user(),
                  null);
          Statement statement = connection.createStatement()) {
        statement.execute("ANALYZE deliveries");
        for (String setting : PostgresDedicatedConnection.INDEX_PLANS) {
          statement.execute(setting);
        }
        for (String setting : PostgresDedicatedConnection.NESTED_LOOPS) {
          statement.execute(setting);
        }
        for (String hot : List.of("FINISH", "CLAIM", "RECORD", "DELETE_SETTLED")) {
          explain(statement, constant("dev.postrider.delivery.store.PostgresStatements", hot));
        }
      }
    }
  }

  private static final String LIST_INDEXES =
      """
      SELECT pg_relation_size('deliveries_open') + pg_relation_size('deliveries_session') AS bytes,
             pg_relation_size('deliveries_due') AS due,
             (SELECT n_tup_upd - n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'deliveries' AND schemaname = current_schema()) AS beyond
      """;

  /** An index without entries has one page; the first entry adds a second. */
  @Test
  void successesOfPostgresTouchNoIndexOfTheLists() throws Exception {
    try (Receiver receiver = new Receiver();
        Engines engines = Engines.alone(folder)) {
      Delivered delivered = new Delivered();
      TestEngine engine = engines.start(delivered);
      Application acme = engines.application(engine, "acme");
      engines.endpoint(engine, acme, receiver.url("/good"));
      for (int i = 0; i < 200; i++) {
        send(engine, acme, i);
        int sent = i + 1;
        engines.await("delivered", () -> delivered.count.get() == sent);
      }
      engines.stop(engine);
      try (Database database = engines.reopen()) {
        long page = 8_192;
        assertThat(listIndexes(database))
            .as("bytes, other bytes")
            .containsExactly(2 * page, page, 0L);
      }
    }
  }

  private static List<Long> listIndexes(Database database) {
    return database.read(
        handle ->
            handle
                .createQuery(LIST_INDEXES)
                .map((row, _) -> List.of(row.getLong(1), row.getLong(2), row.getLong(3)))
                .one());
  }

  private static String constant(String type, String name) throws Exception {
    Field field = Class.forName(type).getDeclaredField(name);
    field.setAccessible(true);
    return (String) field.get(null);
  }

  private static final Pattern WHOLE_INDEX =
      Pattern.compile("Index (Only )?Scan using (\\S+) on (\\S+)");

  private static String explain(Statement statement, String sql) throws Exception {
    StringBuilder numbered = new StringBuilder();
    int n = 0;
    for (char c : sql.toCharArray()) {
      numbered.append(c == '?' ? "$" + ++n : String.valueOf(c));
    }
    List<String> lines = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("EXPLAIN (GENERIC_PLAN, COSTS OFF) " + numbered)) {
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
    }
    String plan = String.join("\n", lines);
    assertThat(plan).contains("Index").doesNotContain("Seq Scan");
    for (int i = 0; i < lines.size(); i++) {
      if (WHOLE_INDEX.matcher(lines.get(i)).find()) {
        assertThat(i + 1 < lines.size() ? lines.get(i + 1) : "")
            .as("a whole index is a whole table:%n%s", plan)
            .contains("Index Cond");
      }
    }
    return plan;
  }

  // ---- SQLite: what it says it will do ----

  @Test
  void noStatementOfSqliteScansATableThatGrows() throws Exception {
    Set<String> statements = ConcurrentHashMap.newKeySet();
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      Delivered delivered = new Delivered();
      TestEngine engine = engines.start(delivered, "RETRY_SCHEDULE=0s,0s");
      SqliteDatabase database = (SqliteDatabase) engine.database();
      try (ObservedStatements _ = new ObservedStatements(database, statements::add)) {
        live(engine, engines, receiver, delivered, 500);
      }
      statements.addAll(constants("dev.postrider.delivery.accept.SqliteAccept"));
      statements.addAll(constants("dev.postrider.delivery.store.SqliteStatements"));
      statements.removeIf(
          sql ->
              sql.contains("{") // a template of statements that are in the set
                  || sql.contains("count(*)")
                  || !sql.strip().matches("(?s)(SELECT|INSERT|UPDATE|DELETE|WITH) .*"));
      assertThat(statements).hasSizeGreaterThan(40);
      Set<String> scans = new TreeSet<>();
      for (String sql : statements) {
        for (String line : plan(database, sql)) {
          if (line.matches(
                  "SCAN (d|x|m|a|messages|deliveries|attempts|event_ids|idempotency\\w*)\\b.*")
              && !line.contains("deliveries_leased")) {
            scans.add(line + " in " + sql);
          } else if (line.contains("ORDER BY") && sql.contains("ORDER BY order_at")) {
            scans.add("a whole lane is sorted: " + sql);
          }
        }
      }
      assertThat(scans).isEmpty();
    }
  }

  private static List<String> plan(SqliteDatabase database, String sql) {
    return database.writeRaw(
        connection -> {
          List<String> lines = new ArrayList<>();
          try (Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (rows.next()) {
              lines.add(rows.getString("detail"));
            }
          }
          return lines;
        });
  }

  /** A list of statements. */
  static List<String> constants(String type, String name) throws Exception {
    Field field = Class.forName(type).getDeclaredField(name);
    field.setAccessible(true);
    return ((List<?>) field.get(null)).stream().map(String.class::cast).toList();
  }

  static List<String> constants(String type) throws Exception {
    List<String> values = new ArrayList<>();
    for (Field field : Class.forName(type).getDeclaredFields()) {
      field.setAccessible(true);
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        values.add((String) field.get(null));
      } else if (Modifier.isStatic(field.getModifiers()) && field.getType() == List.class) {
        values.addAll(constants(type, field.getName()));
      }
    }
    return values;
  }
}
