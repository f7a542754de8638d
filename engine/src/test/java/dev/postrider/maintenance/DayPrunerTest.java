package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.id.Id;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.postgres.DayPartitions;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.RetentionSettings;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.RowlessFixture;
import dev.postrider.testkit.Signals;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Days of PostgreSQL with many messages are truncated instead of deleted row by row. */
@Timeout(120)
class DayPrunerTest {
  private static final RetentionOptions RETENTION =
      new RetentionOptions(
          Duration.ofDays(30),
          Duration.ofDays(90),
          Duration.ofDays(7),
          Duration.ofDays(365),
          LocalTime.of(3, 0));
  private static final int LARGE = 20;
  private static final int SURVIVORS = 8;
  private static final DayPruner.Limits LIMITS = new DayPruner.Limits(LARGE, SURVIVORS, 1 << 20);
  private static final Id INSTANCE = new Id(7, 7);
  private static final Id LANE = new Id(8, 8);

  private final ManualTime time = new ManualTime();
  private PostgresDatabase database;
  private Fixture fixture;
  private RowlessFixture rowless;
  private Pruner pruner;
  private Application acme;
  private long random;

  @BeforeEach
  void open() {
    database = Databases.postgres();
    fixture = new Fixture(database, time);
    rowless = new RowlessFixture(database, fixture.ids);
    pruner = new Pruner(database, RETENTION, time, LIMITS);
    acme = fixture.application("acme");
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** A time of the day so many days ago, at that hour. */
  private long at(int daysAgo, int hour) {
    LocalDate day = DayPartitions.dayOf(time.nowMs()).minusDays(daysAgo);
    return day.atTime(hour, 0).toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  private Id delivered(Application application, long atMs) {
    Id message = message(application, atMs);
    rowless.delivered(application.id().value(), message, LANE, atMs + 5);
    return message;
  }

  private Id message(Application application, long atMs) {
    return rowless.messageWithId(
        application.id().value(), new Id(Id.floorOf(atMs).hi(), ++random), LANE);
  }

  private Id ended(long atMs, DeliveryStatus status, EndReason reason) {
    Id message = message(acme, atMs);
    rowless.ended(acme.id().value(), message, LANE, status, reason, atMs);
    return message;
  }

  /** A large day; returns its messages. */
  private List<Id> day(int daysAgo) {
    List<Id> messages = new ArrayList<>();
    for (int i = 0; i <= LARGE; i++) {
      messages.add(delivered(acme, at(daysAgo, i % 24)));
    }
    return messages;
  }

  private List<Id> messages() {
    return database.read(
        handle -> handle.createQuery("SELECT id FROM messages ORDER BY id").mapTo(Id.class).list());
  }

  private long count(String from) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + from).mapTo(Long.class).one());
  }

  private boolean hasDay(int daysAgo) {
    LocalDate day = DayPartitions.dayOf(at(daysAgo, 0));
    return database.days().days().stream().anyMatch(one -> one.date().equals(day));
  }

  /** Whether the partition is another file: it was truncated, not deleted from. */
  private long file(int daysAgo) {
    String leaf = DayPartitions.leaf("messages", DayPartitions.dayOf(at(daysAgo, 0)));
    return database.read(
        handle ->
            handle
                .createQuery("SELECT pg_relation_filenode('" + leaf + "')")
                .mapTo(Long.class)
                .one());
  }

  @Test
  void aDayOfWhichNothingStaysIsRemoved() {
    day(40);
    for (int i = 0; i < 3; i++) {
      rowless.messageWithId(acme.id().value(), new Id(Id.floorOf(at(40, i)).hi(), ++random));
    }
    List<Id> recent = day(10);

    Pruner.Counts counts = pruner.pruneNow();

    assertThat(counts).isEqualTo(new Pruner.Counts(LARGE + 4, LARGE + 1, LARGE + 1, 0, 0, 0));
    assertThat(messages()).containsExactlyInAnyOrderElementsOf(recent);
    assertThat(hasDay(40)).isFalse();
    assertThat(hasDay(10)).isTrue();
    assertThat(pruner.pruneNow()).isEqualTo(Pruner.Counts.NONE);
  }

  @Test
  void whatStaysIsSetAside() {
    day(40);
    Id dead = ended(at(40, 5), DeliveryStatus.DEAD_LETTER, EndReason.EXHAUSTED);
    ended(at(40, 6), DeliveryStatus.CANCELED, EndReason.ENDPOINT_DISABLED);
    Application patient = fixture.application("patient");
    retention(patient, 24 * 60);
    Id longer = delivered(patient, at(40, 7));
    Id unrouted =
        rowless.messageWithId(patient.id().value(), new Id(Id.floorOf(at(40, 8)).hi(), 99));
    String before = stored(List.of(dead, longer));
    long file = file(40);

    Pruner.Counts counts = pruner.pruneNow();

    assertThat(messages()).containsExactly(dead, longer);
    assertThat(messages()).doesNotContain(unrouted);
    assertThat(stored(List.of(dead, longer))).isEqualTo(before);
    assertThat(count("attempts")).isEqualTo(2);
    assertThat(count("deliveries")).isEqualTo(1);
    assertThat(counts).isEqualTo(new Pruner.Counts(LARGE + 3, LARGE + 2, LARGE + 2, 0, 0, 0));
    assertThat(file(40)).isNotEqualTo(file);
  }

  private void retention(Application application, @Nullable Integer deliveredHours) {
    fixture.applications.update(
        Environment.DEFAULT_ID,
        application.spec().name(),
        s ->
            new ApplicationSpec(
                s.uid(),
                s.name(),
                s.metadata(),
                null,
                true,
                new ApplicationSettings(
                    null, null, new RetentionSettings(deliveredHours, null, null))));
  }

  /** They are in a table of their own; the ids of the messages that stay are still taken. */
  @Test
  void eventIdsGoWithTheirMessages() {
    List<Id> day = day(40);
    Id dead = ended(at(40, 5), DeliveryStatus.DEAD_LETTER, EndReason.EXHAUSTED);
    Id recent = delivered(acme, at(0, 0));
    for (Id message : List.of(day.get(1), day.get(2), dead, recent)) {
      database.write(
          handle ->
              handle.execute(
                  "INSERT INTO event_ids (application_id, event_id, message_id) VALUES (?, ?, ?)",
                  acme.id().value().uuid(),
                  message.toString(),
                  message.uuid()));
    }

    pruner.pruneNow();

    List<Id> left =
        database.read(
            handle ->
                handle.createQuery("SELECT message_id FROM event_ids").mapTo(Id.class).list());
    assertThat(left).containsExactlyInAnyOrder(dead, recent);
  }

  /** All columns of the messages and their attempts. */
  private String stored(List<Id> messages) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT string_agg(line, ' ' ORDER BY line) FROM (
                      SELECT m::text AS line FROM messages m WHERE id IN (<ids>)
                      UNION ALL SELECT a::text FROM attempts a WHERE message_id IN (<ids>)) t
                    """)
                .bindList("ids", messages)
                .mapTo(String.class)
                .one());
  }

  @Test
  void aDayWithAnUnfinishedDeliveryIsDeletedFromInSteps() {
    day(40);
    Id waits = message(acme, at(40, 5));
    rowless.failed(acme.id().value(), waits, LANE, at(40, 5), time.nowMs());
    long file = file(40);

    pruner.pruneNow();

    assertThat(messages()).containsExactly(waits);
    assertThat(file(40)).isEqualTo(file);
  }

  @Test
  void aDayThatALeaseBatchNamesIsDeletedFromInSteps() {
    day(40);
    Id sending = message(acme, at(40, 5));
    rowless.leased(INSTANCE, acme.id().value(), time.nowMs() + 60_000, sending, LANE);
    long file = file(40);

    pruner.pruneNow();

    assertThat(messages()).containsExactly(sending);
    assertThat(file(40)).isEqualTo(file);
  }

  @Test
  void tooManyOrTooLargeMessagesAreNotSetAside() {
    day(40);
    List<Id> dead = new ArrayList<>();
    for (int i = 0; i <= SURVIVORS; i++) {
      dead.add(ended(at(40, i), DeliveryStatus.DEAD_LETTER, EndReason.EXHAUSTED));
    }
    day(41);
    Id big = ended(at(41, 1), DeliveryStatus.DEAD_LETTER, EndReason.EXHAUSTED);
    database.write(
        handle ->
            handle.execute(
                "UPDATE messages SET payload = decode(repeat('00', 2000000), 'hex') WHERE id = ?",
                big.uuid()));
    long file = file(40);
    long other = file(41);

    pruner.pruneNow();

    dead.add(big);
    assertThat(messages()).containsExactlyInAnyOrderElementsOf(dead);
    assertThat(file(40)).isEqualTo(file);
    assertThat(file(41)).isEqualTo(other);
  }

  /** Its rows would be deleted one by one shortly before the whole day goes. */
  @Test
  void aLargeDayWaitsUntilAllOfItIsPast() {
    time.advance(Duration.ofMillis(at(-1, 12) - time.nowMs()));
    List<Id> day = day(30);
    Application hasty = fixture.application("hasty");
    retention(hasty, 24 * 20);
    delivered(hasty, at(30, 3));
    List<Id> small = List.of(delivered(acme, at(31, 13)), delivered(acme, at(29, 13)));

    pruner.pruneNow();

    assertThat(messages())
        .containsAll(day)
        .hasSize(day.size() + 1)
        .doesNotContain(small.getFirst());
    time.advance(Duration.ofHours(12));
    pruner.pruneNow();
    assertThat(messages()).as("a delivery may have ended after midnight").containsAll(day);
    time.advance(DayPruner.SLACK);
    pruner.pruneNow();
    assertThat(messages()).containsExactly(small.getLast());
  }

  /**
   * A resend locks its message: it is either committed before the partition is locked, and the day
   * is left as it is, or finds no message.
   */
  @Test
  void aResendDuringTheTruncationIsNotLost() throws Exception {
    List<Id> day = day(40);
    Id resent = day.getFirst();
    long file = file(40);
    try (Connection locker = database.connect("postrider-test", 0);
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<Pruner.Counts> prune =
          database.write(
              handle -> {
                assertThat(resend(resent, handle)).isEqualTo(1);
                Future<Pruner.Counts> running = other.submit(pruner::pruneNow);
                Signals.poll("the truncation waits for the lock", () -> waits(locker));
                return running;
              });
      prune.get();
    }
    assertThat(messages()).containsExactly(resent);
    assertThat(count("deliveries")).isEqualTo(1);
    assertThat(file(40)).isEqualTo(file);
    int late = database.write(handle -> resend(day.getLast(), handle));
    assertThat(late).as("a resend of a message that was deleted").isZero();
  }

  private int resend(Id message, org.jdbi.v3.core.Handle handle) {
    return new RedriveStore(database)
        .insert(
            handle,
            RedriveStore.Addition.manual(
                acme.id().value(), new Id(message.hi(), ++random), message, LANE, false),
            time.nowMs());
  }

  private boolean waits(Connection connection) {
    String leaf = DayPartitions.leaf("messages", DayPartitions.dayOf(at(40, 0)));
    try (Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '"
                    + leaf
                    + "'::regclass")) {
      row.next();
      return row.getInt(1) > 0;
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void twoInstancesPruneTheSameDays() throws Exception {
    for (int i = 0; i < 4; i++) {
      day(40 + i);
    }
    Id dead = ended(at(40, 5), DeliveryStatus.DEAD_LETTER, EndReason.EXHAUSTED);
    Pruner second = new Pruner(database, RETENTION, time, LIMITS);
    try (ExecutorService both = Executors.newFixedThreadPool(2)) {
      Future<Pruner.Counts> a = both.submit(pruner::pruneNow);
      Future<Pruner.Counts> b = both.submit(second::pruneNow);
      a.get();
      b.get();
    }
    assertThat(messages()).containsExactly(dead);
    pruner.pruneNow();
    assertThat(hasDay(40)).isTrue();
    assertThat(hasDay(41) || hasDay(42) || hasDay(43)).isFalse();
  }
}
