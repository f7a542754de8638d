package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.RetentionSettings;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Order(1)
class PrunerTest {
  private static final RetentionOptions RETENTION = retention(LocalTime.of(3, 0));

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Database database;
  private Fixture fixture;
  private long random = 1;

  private static RetentionOptions retention(LocalTime at) {
    return new RetentionOptions(
        Duration.ofDays(30), Duration.ofDays(90), Duration.ofDays(7), Duration.ofDays(365), at);
  }

  private Pruner on(Databases.Kind kind) {
    return on(kind.open(folder));
  }

  private Pruner on(Database opened) {
    database = opened;
    open.add(database);
    fixture = new Fixture(database, time);
    return new Pruner(database, RETENTION, time);
  }

  @AfterEach
  void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  // ---- rows that are as old as a test wants them ----

  private long daysAgo(double days) {
    return time.nowMs() - (long) (days * 86_400_000);
  }

  private Id message(Id application, long acceptedMs) {
    return message(application, acceptedMs, null);
  }

  private Id message(Id application, long acceptedMs, @Nullable Long expiresAt) {
    Id id = new Id(Id.floorOf(acceptedMs).hi(), random++);
    database.write(
        handle ->
            handle
                .createUpdate(
                    "INSERT INTO messages (application_id, id, event_type, payload, expires_at)"
                        + " VALUES (:app, :id, 'a', :payload, :expires)")
                .bind("app", application)
                .bind("id", id)
                .bind("payload", new byte[] {1, 2})
                .bind("expires", expiresAt)
                .execute());
    return id;
  }

  private Id delivery(Id application, Id message, DeliveryStatus status, @Nullable Long endedMs) {
    Id lane = new Id(5, random++);
    Id id = DeliveryIds.of(message, lane, Id.ZERO);
    boolean waits = status == DeliveryStatus.PENDING || status == DeliveryStatus.FAILED;
    database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at, finished_at, dead_at, next_attempt_at, lease_until, body)
                  VALUES (:app, :id, :message, :lane, :status, :created, :ended, :dead, :next, :lease, :body)
                  """)
              .bind("app", application)
              .bind("id", id)
              .bind("message", message)
              .bind("lane", lane)
              .bind("status", status.code())
              .bind("created", message.epochMs())
              .bind("ended", endedMs)
              .bind("dead", status == DeliveryStatus.DEAD_LETTER ? endedMs : null)
              .bind("next", waits ? Long.valueOf(time.nowMs()) : null)
              .bind("lease", status == DeliveryStatus.SENDING ? Long.valueOf(time.nowMs()) : null)
              .bind("body", new byte[] {3})
              .execute();
          return handle
              .createUpdate(
                  StoredCodes.sql(
                      """
                      INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, latency_ms, sent_at, url)
                      VALUES (:app, :message, :delivery, 1, :delivery, :lane, false, {SUCCESS}, 1, 1, 'u')
                      """))
              .bind("app", application)
              .bind("message", message)
              .bind("delivery", id)
              .bind("lane", lane)
              .execute();
        });
    return id;
  }

  private List<Id> messages() {
    return database.read(
        handle -> handle.createQuery("SELECT id FROM messages ORDER BY id").mapTo(Id.class).list());
  }

  private long count(String from) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + from).mapTo(Long.class).one());
  }

  // ---- retention ----

  @ParameterizedTest
  @EnumSource
  void aMessageIsDeletedWhenAllItsDeliveriesAreTerminalAndPastRetention(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Id app = fixture.application("acme").id().value();
    List<Id> stay = new ArrayList<>();
    Id delivered = message(app, daysAgo(31));
    delivery(app, delivered, DeliveryStatus.DELIVERED, daysAgo(30));
    Id canceled = message(app, daysAgo(31));
    delivery(app, canceled, DeliveryStatus.CANCELED, daysAgo(30.5));
    Id dead = message(app, daysAgo(91));
    delivery(app, dead, DeliveryStatus.DEAD_LETTER, daysAgo(90));
    Id unrouted = message(app, daysAgo(7.1));
    Id mixed = message(app, daysAgo(200));
    delivery(app, mixed, DeliveryStatus.DELIVERED, daysAgo(199));
    delivery(app, mixed, DeliveryStatus.DEAD_LETTER, daysAgo(95));
    assertThat(messages()).contains(delivered, canceled, dead, unrouted, mixed);

    stay.add(oneWith(app, 100, DeliveryStatus.DELIVERED, daysAgo(29.9)));
    stay.add(oneWith(app, 100, DeliveryStatus.CANCELED, daysAgo(29.9)));
    stay.add(oneWith(app, 100, DeliveryStatus.DEAD_LETTER, daysAgo(89.9)));
    stay.add(oneWith(app, 400, DeliveryStatus.PENDING, null));
    stay.add(oneWith(app, 400, DeliveryStatus.SENDING, null));
    stay.add(oneWith(app, 400, DeliveryStatus.FAILED, null));
    stay.add(message(app, daysAgo(6.9)));
    Id half = message(app, daysAgo(300));
    delivery(app, half, DeliveryStatus.DELIVERED, daysAgo(299));
    delivery(app, half, DeliveryStatus.FAILED, null);
    stay.add(half);

    Pruner.Counts counts = pruner.pruneNow();

    assertThat(counts).isEqualTo(new Pruner.Counts(5, 5, 5, 0, 0, 0));
    assertThat(messages()).containsExactlyInAnyOrderElementsOf(stay);
    assertThat(count("deliveries")).isEqualTo(8);
    assertThat(count("attempts")).isEqualTo(8);
    assertThat(pruner.progress()).isEqualTo(new Pruner.Progress(false, 1, counts));
    assertThat(pruner.pruneNow()).isEqualTo(Pruner.Counts.NONE);
  }

  private void eventId(Id app, Id message, String eventId) {
    database.write(
        handle -> {
          handle.execute("UPDATE messages SET event_id = ? WHERE id = ?", eventId, message);
          return handle.execute(
              "INSERT INTO event_ids (application_id, event_id, message_id) VALUES (?, ?, ?)",
              app,
              eventId,
              message);
        });
  }

  @ParameterizedTest
  @EnumSource
  void anEventIdIsDeletedWithItsMessage(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Id app = fixture.application("acme").id().value();
    Id other = fixture.application("other").id().value();
    eventId(app, message(app, daysAgo(100)), "old");
    eventId(app, message(app, daysAgo(1)), "new");
    eventId(other, message(other, daysAgo(1)), "old");
    message(app, daysAgo(100));

    assertThat(pruner.pruneNow().messages()).isEqualTo(2);

    assertThat(count("event_ids WHERE event_id = 'new'")).isEqualTo(1);
    assertThat(count("event_ids WHERE event_id = 'old'")).as("of the other").isEqualTo(1);
  }

  private Id oneWith(Id app, double days, DeliveryStatus status, @Nullable Long endedMs) {
    Id message = message(app, daysAgo(days));
    delivery(app, message, status, endedMs);
    return message;
  }

  @ParameterizedTest
  @EnumSource
  void manyBatchesDeleteEverythingExpired(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Application acme = fixture.application("acme");
    Application globex = fixture.application("globex");
    database.write(
        handle -> {
          for (int i = 0; i < 2_300; i++) {
            Id app = i % 2 == 0 ? acme.id().value() : globex.id().value();
            Id id = new Id(Id.floorOf(daysAgo(20) + i).hi(), random++);
            handle
                .createUpdate(
                    "INSERT INTO messages (application_id, id, event_type) VALUES (:app, :id, 'a')")
                .bind("app", app)
                .bind("id", id)
                .execute();
            if (i % 100 < 2) {
              handle
                  .createUpdate(
                      StoredCodes.sql(
                          "INSERT INTO deliveries (application_id, id, message_id, lane_id, status,"
                              + " created_at, next_attempt_at) VALUES (:app, :id, :m, :m,"
                              + " {PENDING}, 1, 1)"))
                  .bind("app", app)
                  .bind("id", DeliveryIds.of(id, id, Id.ZERO))
                  .bind("m", id)
                  .execute();
            }
          }
          return 0;
        });
    assertThat(pruner.pruneNow().messages()).isEqualTo(2_254);
    assertThat(count("messages")).isEqualTo(46);
    assertThat(pruner.progress().applications()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void environmentAndApplicationMayChooseAnotherRetention(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Application plain = fixture.application("plain");
    Application own = fixture.application("own");
    fixture.applications.update(
        Environment.DEFAULT_ID,
        "own",
        s ->
            new ApplicationSpec(
                s.uid(),
                s.name(),
                s.metadata(),
                null,
                true,
                new ApplicationSettings(null, null, new RetentionSettings(1, 48, null))));
    database.write(
        handle ->
            handle.execute(
                "UPDATE environments SET settings ="
                    + " '{\"retention\":{\"deliveredHours\":240,\"unroutedHours\":2}}'"));
    oneWith(plain.id().value(), 40, DeliveryStatus.DELIVERED, daysAgo(10.1));
    Id kept = oneWith(plain.id().value(), 40, DeliveryStatus.DELIVERED, daysAgo(9.9));
    oneWith(own.id().value(), 40, DeliveryStatus.DELIVERED, daysAgo(0.05));
    oneWith(own.id().value(), 40, DeliveryStatus.DEAD_LETTER, daysAgo(2.1));
    Id keptDead = oneWith(own.id().value(), 40, DeliveryStatus.DEAD_LETTER, daysAgo(1.9));
    message(own.id().value(), daysAgo(0.1));

    pruner.pruneNow();

    assertThat(messages()).containsExactlyInAnyOrder(kept, keptDead);
  }

  @ParameterizedTest
  @EnumSource
  void messagesOfDeletedApplicationsGoWithTimeButTheirRowsStay(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Application acme = fixture.application("acme");
    fixture.endpoint(acme, EndpointSpec.of("https://example.com/a"));
    oneWith(acme.id().value(), 40, DeliveryStatus.DELIVERED, daysAgo(31));
    fixture.applications.delete(Environment.DEFAULT_ID, "acme");

    assertThat(pruner.pruneNow().messages()).isEqualTo(1);
    assertThat(count("applications")).isEqualTo(1);
    assertThat(count("endpoints")).isEqualTo(1);
  }

  // ---- payloads, keys, secrets ----

  @ParameterizedTest
  @EnumSource
  void aPayloadExpiresButNeverBeforeTheLastAttempt(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Id app = fixture.application("acme").id().value();
    Id finished = message(app, daysAgo(1), time.nowMs());
    delivery(app, finished, DeliveryStatus.DELIVERED, daysAgo(1));
    Id waiting = message(app, daysAgo(1), daysAgo(0.5));
    delivery(app, waiting, DeliveryStatus.DELIVERED, daysAgo(1));
    Id retried = delivery(app, waiting, DeliveryStatus.FAILED, null);
    message(app, daysAgo(1), time.nowMs() + 1);
    message(app, daysAgo(1));

    assertThat(pruner.pruneNow().payloads()).isEqualTo(1);
    assertThat(withoutPayload()).containsExactly(finished);
    assertThat(count("deliveries WHERE body IS NULL")).isEqualTo(1);

    database.write(
        handle ->
            handle
                .createUpdate(
                    StoredCodes.sql(
                        "UPDATE deliveries SET status = {DELIVERED}, next_attempt_at = NULL,"
                            + " finished_at = 1 WHERE id = :id"))
                .bind("id", retried)
                .execute());
    database.write(
        handle ->
            handle
                .createUpdate("UPDATE deliveries SET finished_at = :now")
                .bind("now", time.nowMs())
                .execute());
    pruner.turn();
    assertThat(withoutPayload()).contains(finished, waiting).hasSize(2);
  }

  private List<Id> withoutPayload() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT id FROM messages WHERE payload IS NULL")
                .mapTo(Id.class)
                .list());
  }

  @ParameterizedTest
  @EnumSource
  void expiredKeysAndSecretsGo(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Id app = fixture.application("acme").id().value();
    int keys = 25_000;
    database.write(
        handle -> {
          var batch =
              handle.prepareBatch(
                  "INSERT INTO idempotency_long (application_id, key, body, message_id, expires_at)"
                      + " VALUES (:app, :key, :key, :key, :at)");
          for (int i = 0; i < keys; i++) {
            // One in a hundred was won again after its window and lives on among the old ones.
            batch
                .bind("app", app)
                .bind("key", new Id(9, i))
                .bind("at", time.nowMs() + (i < keys - 100 && i % 100 != 0 ? 0 : 1))
                .add();
          }
          return batch.execute().length;
        });
    for (long at : new long[] {time.nowMs(), time.nowMs() + 1}) {
      database.write(
          handle ->
              handle
                  .createUpdate(
                      "INSERT INTO signing_secrets (id, application_id, owner_id, sealed,"
                          + " created_at, expires_at) VALUES (:id, :app, :app, :sealed, 1, :at)")
                  .bind("id", new Id(3, at))
                  .bind("app", app)
                  .bind("sealed", new byte[1])
                  .bind("at", at)
                  .execute());
    }

    for (long at : new long[] {time.nowMs(), time.nowMs() + 1}) {
      database.write(
          handle ->
              handle
                  .createUpdate(
                      "INSERT INTO call_answers (key, body, owner, state, environment_id,"
                          + " started_at, expires_at) VALUES (:id, :id, :id, 2, 'e', 1, :at)")
                  .bind("id", new Id(4, at))
                  .bind("at", at)
                  .execute());
    }

    Pruner.Counts counts = pruner.pruneNow();

    assertThat(count("call_answers")).isEqualTo(1);
    assertThat(counts.idempotencyKeys()).isEqualTo(24_651 + 1);
    assertThat(count("idempotency")).isEqualTo(349);
    assertThat(counts.secrets()).isEqualTo(1);
    assertThat(count("signing_secrets")).isEqualTo(1);
  }

  // ---- when, and beside whom ----

  @Test
  void runsOnceADayAtItsTime() {
    Pruner pruner = on(Databases.sqlite(folder));
    Id app = fixture.application("acme").id().value();
    long first = firstRunOf(pruner);
    assertThat(Instant.ofEpochMilli(first).atZone(ZoneOffset.UTC).toLocalTime())
        .isEqualTo(LocalTime.of(3, 0));
    assertThat(first).isBetween(time.nowMs() + 1, time.nowMs() + Duration.ofDays(1).toMillis());
    message(app, daysAgo(8));
    assertThat(pruner.turn()).isPositive();
    assertThat(count("messages")).isEqualTo(1);
    time.advance(Duration.ofMillis(first - time.nowMs() - 1));
    assertThat(pruner.turn()).isEqualTo(1);
    assertThat(count("messages")).isEqualTo(1);
    time.advance(Duration.ofMillis(1));
    pruner.turn();
    assertThat(count("messages")).isZero();
    assertThat(pruner.nextAtMs()).isEqualTo(first + Duration.ofDays(1).toMillis());
  }

  /** The server was down at three in the morning. */
  @ParameterizedTest
  @EnumSource
  void aMissedRunFollowsAfterTheStart(Databases.Kind kind) {
    Pruner before = on(kind);
    Id app = fixture.application("acme").id().value();
    long missed = firstRunOf(before);
    message(app, daysAgo(8));
    time.advance(Duration.ofMillis(missed - time.nowMs()).plusHours(5));

    Pruner after = new Pruner(database, RETENTION, time);
    after.turn();

    assertThat(count("messages")).isZero();
    PruneRuns.Run run = new PruneRuns(database, time).read();
    assertThat(run.endedAtMs()).isEqualTo(time.nowMs());
    assertThat(run.counts().messages()).isEqualTo(1);
    message(app, daysAgo(8));
    new Pruner(database, RETENTION, time).turn();
    assertThat(count("messages")).as("once").isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void isDoneWhenAskedByOneInstanceOnly(Databases.Kind kind) {
    Pruner one = on(kind);
    Id app = fixture.application("acme").id().value();
    one.turn();
    message(app, daysAgo(8));
    one.turn();
    assertThat(count("messages")).as("nobody asked").isEqualTo(1);
    PruneRuns runs = new PruneRuns(database, time);
    assertThat(runs.ask().isAsked()).isTrue();
    PruneRuns.Run seen = runs.read();

    one.turn();

    assertThat(count("messages")).isZero();
    assertThat(runs.read().isAsked()).isFalse();
    assertThat(runs.begin(seen)).as("another instance comes too late").isZero();
  }

  /** Its instance died: the run is started again after a long silence. */
  @ParameterizedTest
  @EnumSource
  void anAbandonedRunIsStartedAgain(Databases.Kind kind) {
    Pruner pruner = on(kind);
    Id app = fixture.application("acme").id().value();
    PruneRuns runs = new PruneRuns(database, time);
    assertThat(runs.begin(runs.ask())).isPositive();
    message(app, daysAgo(8));
    pruner.turn();
    assertThat(count("messages")).as("another instance is at it").isEqualTo(1);
    time.advance(PruneRuns.SILENT.plusSeconds(1));
    pruner.turn();
    assertThat(count("messages")).isZero();
    assertThat(runs.read().endedAtMs()).isNotNull();
  }

  private static long firstRunOf(Pruner pruner) {
    pruner.turn();
    return pruner.nextAtMs();
  }

  @Test
  void twoInstancesPruneAtOnceAndCountEachMessageOnce() throws Exception {
    String schema = Databases.freshSchema();
    PostgresDatabase second = new PostgresDatabase(Databases.settings(schema));
    PostgresDatabase first = new PostgresDatabase(Databases.settings(schema));
    first.start();
    second.start();
    Pruner one = onMigrated(first);
    open.add(second);
    Pruner two = new Pruner(second, retention(LocalTime.MIDNIGHT), time);
    Id app = fixture.application("acme").id().value();
    for (int i = 0; i < 1_200; i++) {
      Id message = message(app, daysAgo(40) + i);
      delivery(app, message, DeliveryStatus.DELIVERED, daysAgo(39));
    }
    try (ExecutorService both = Executors.newFixedThreadPool(2)) {
      Future<Pruner.Counts> a = both.submit(one::pruneNow);
      Future<Pruner.Counts> b = both.submit(two::pruneNow);
      assertThat(a.get().plus(b.get())).isEqualTo(new Pruner.Counts(1_200, 1_200, 1_200, 0, 0, 0));
    }
    assertThat(count("messages")).isZero();
    assertThat(count("attempts")).isZero();
  }

  private Pruner onMigrated(PostgresDatabase started) {
    started.migrate();
    return on(started);
  }

  /** A delivery that someone holds is left for the next time, with its message. */
  @Test
  void lockedDeliveriesAreLeftAlone() {
    Pruner pruner = on(Databases.postgres());
    Id app = fixture.application("acme").id().value();
    Id busy = oneWith(app, 40, DeliveryStatus.DEAD_LETTER, daysAgo(100));
    oneWith(app, 40, DeliveryStatus.DEAD_LETTER, daysAgo(100));

    database.write(
        handle -> {
          handle
              .createUpdate(
                  StoredCodes.sql(
                      "UPDATE deliveries SET status = {PENDING}, next_attempt_at = 1, dead_at ="
                          + " NULL WHERE message_id = :m"))
              .bind("m", busy)
              .execute();
          try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            assertThat(other.submit(pruner::pruneNow).get())
                .isEqualTo(new Pruner.Counts(1, 1, 1, 0, 0, 0));
          }
          return 0;
        });
    assertThat(messages()).containsExactly(busy);
    assertThat(pruner.pruneNow()).as("it was sent on its way again").isEqualTo(Pruner.Counts.NONE);
  }

  @Test
  void theFileOfSqliteShrinks() throws Exception {
    SqliteDatabase sqlite = Databases.sqlite(folder);
    Pruner pruner = on(sqlite);
    Id app = fixture.application("acme").id().value();
    database.write(
        handle -> {
          for (int i = 0; i < 400; i++) {
            handle
                .createUpdate(
                    "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                        + " :id, 'a', :payload)")
                .bind("app", app)
                .bind("id", new Id(Id.floorOf(daysAgo(20)).hi(), random++))
                .bind("payload", new byte[40_000])
                .execute();
          }
          return 0;
        });
    assertThat(pages()).isGreaterThan(4_000);
    pruner.pruneNow();
    assertThat(pages()).as("freed pages are given back").isLessThan(400);
    sqlite.checkpoint(SqliteDatabase.Checkpoint.TRUNCATE);
    assertThat(java.nio.file.Files.size(sqlite.file())).isLessThan(2_000_000);
  }

  /** The next day needs them again. */
  @Test
  void aFewFreePagesStayInTheFile() {
    Pruner pruner = on(Databases.sqlite(folder));
    Id app = fixture.application("acme").id().value();
    database.write(
        handle -> {
          for (int i = 0; i < 200; i++) {
            handle
                .createUpdate(
                    "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                        + " :id, 'a', :payload)")
                .bind("app", app)
                .bind("id", new Id(Id.floorOf(daysAgo(i < 5 ? 20 : 1)).hi(), random++))
                .bind("payload", new byte[40_000])
                .execute();
          }
          return 0;
        });
    long before = pages();

    assertThat(pruner.pruneNow().messages()).isEqualTo(5);

    assertThat(pages()).isEqualTo(before);
    assertThat(
            database.<Long>read(
                handle -> handle.createQuery("PRAGMA freelist_count").mapTo(Long.class).one()))
        .isGreaterThan(40);
  }

  private long pages() {
    return database.read(handle -> handle.createQuery("PRAGMA page_count").mapTo(Long.class).one());
  }
}
