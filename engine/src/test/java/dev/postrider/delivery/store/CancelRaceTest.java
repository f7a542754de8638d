package dev.postrider.delivery.store;

import static dev.postrider.delivery.DeliveryStatus.CANCELED;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static dev.postrider.delivery.DeliveryStatus.SENDING;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.RowlessFixture;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestLanes;
import dev.postrider.testkit.builder.AttemptBuilder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/**
 * A cancel against whatever else changes the delivery, in either order. The row is held from
 * outside until both wait for it, so that they run one after the other, each on a connection of its
 * own and with a snapshot from before the other.
 */
@Timeout(120)
class CancelRaceTest {
  private static final int VERSION = 3;
  private static final Id INSTANCE = new Id(7, 7);

  private final ManualTime time = new ManualTime();
  private PostgresDatabase database;
  private DeliveryStores stores;
  private Fixture fixture;
  private Application application;
  private Endpoint endpoint;
  private Id message;
  private Id delivery;

  /** A delivery as the table has it. */
  private record Row(
      DeliveryStatus status,
      @Nullable String reason,
      int leaseVersion,
      int attempts,
      @Nullable Long nextAttemptAt,
      @Nullable Long laneSeq,
      @Nullable Long finishedAt) {}

  @BeforeEach
  void open() {
    database = Databases.postgres();
    stores = DeliveryStores.of(database);
    fixture = new Fixture(database, time);
    application = fixture.application("acme");
    endpoint =
        fixture.endpoint(application, EndpointSpec.of("https://example.com/").with(ORDERED, true));
    message = fixture.ids.next();
    delivery = DeliveryIds.of(message, endpoint.id().value(), Id.ZERO);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void insert(DeliveryStatus status) {
    boolean leased = status == SENDING;
    database.write(
        handle -> {
          handle
              .createUpdate(
                  "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                      + " :id, 'a.b', :payload)")
              .bind("app", application.id())
              .bind("id", message)
              .bind("payload", new byte[2])
              .execute();
          if (leased) {
            handle.execute("UPDATE lanes SET in_flight = ?", delivery.uuid());
          }
          return handle
              .createUpdate(
                  """
                  INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, leased_by, lease_until,
                                          next_attempt_at, order_at, lane_seq, created_at)
                  VALUES (:app, :id, :message, :lane, :status, :version, :by, :until, :next, 1, 1, :now)
                  """)
              .bind("app", application.id())
              .bind("id", delivery)
              .bind("message", message)
              .bind("lane", endpoint.id())
              .bind("status", status.code())
              .bind("version", VERSION)
              .bindByType("by", leased ? INSTANCE : null, Id.class)
              .bind("until", leased ? Long.valueOf(time.nowMs() + 90_000) : null)
              .bind("next", leased ? null : Long.valueOf(time.nowMs() - 1))
              .bind("now", time.nowMs())
              .execute();
        });
  }

  private Row row() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT status, reason, lease_version, attempts, next_attempt_at, lane_seq,"
                        + " finished_at FROM deliveries")
                .map(
                    (row, context) ->
                        new Row(
                            DeliveryStatus.of(row.getInt(1)),
                            row.getString(2),
                            row.getInt(3),
                            row.getInt(4),
                            row.getObject(5, Long.class),
                            row.getObject(6, Long.class),
                            row.getObject(7, Long.class)))
                .one());
  }

  private long count(String sql) {
    return database.read(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }

  // ---- what races ----

  private void cancel() {
    new CancelStore(database)
        .cancelMessage(application.id().value(), message, fixture.ids.next(), time.nowMs());
  }

  private Delivery leased() {
    return aLease()
        .application(application.id().value())
        .delivery(delivery)
        .message(message)
        .lane(endpoint.id().value())
        .version(VERSION)
        .untilMs(time.nowMs() + 90_000)
        .build();
  }

  private void finish(Meaning meaning) {
    AttemptBuilder attempt = anAttempt().id(fixture.ids.next()).status(500).sentAtMs(time.nowMs());
    TestLanes.finish(database, stores, time).finish(List.of(attempt.resultOf(leased(), meaning)));
  }

  /** The one statement of successes on healthy lanes. */
  private void finishAtOnce() {
    Finish finish = anAttempt().id(fixture.ids.next()).sentAtMs(time.nowMs()).delivered(leased());
    database.write(
        handle ->
            HotStatements.of(database.dialect())
                .finishIfHeld(handle.getConnection(), List.of(finish)));
  }

  private void release() {
    stores.leases().releaseIfHeld(List.of(leased().ref()), time.nowMs(), time.nowMs());
  }

  private void rescue() {
    LeaseRef lease = leased().ref();
    stores
        .rescues()
        .rescueIfHeld(
            List.of(
                new RescueStore.Rescue(
                    new RescueStore.OpenLease(lease, INSTANCE, 0, 0, false),
                    fixture.ids.next(),
                    time.nowMs())),
            OutcomeClass.UNKNOWN.code(),
            time.nowMs());
  }

  /** Runs both, the first one first, while neither has seen the other. */
  private void race(Runnable first, Runnable second) throws Exception {
    try (Connection holder = connect();
        Connection probe = connect()) {
      lock(holder);
      CompletableFuture<Void> one = CompletableFuture.runAsync(first, Thread::startVirtualThread);
      awaitWaiters(probe, holder, 1);
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(second, Thread::startVirtualThread);
      awaitWaiters(probe, holder, 2);
      holder.rollback();
      one.get(60, TimeUnit.SECONDS);
      other.get(60, TimeUnit.SECONDS);
    }
  }

  private void isCanceled(int attempts) {
    Row row = row();
    assertThat(row.status()).isEqualTo(CANCELED);
    assertThat(row.reason()).isEqualTo(EndReason.CANCEL_REQUESTED.text());
    assertThat(row.attempts()).isEqualTo(attempts);
    assertThat(row.nextAttemptAt()).isNull();
    assertThat(row.laneSeq()).isNull();
    assertThat(row.finishedAt()).isNotNull();
    assertThat(count("SELECT count(*) FROM lanes WHERE in_flight IS NOT NULL"))
        .as("the lane is free")
        .isZero();
  }

  private void isDelivered() {
    Row row = row();
    assertThat(row.status()).isEqualTo(DELIVERED);
    assertThat(row.reason()).isNull();
    assertThat(count("SELECT count(*) FROM attempts")).isEqualTo(1);
  }

  // ---- finish ----

  @Test
  void cancelThenAFailure() throws Exception {
    insert(SENDING);
    race(this::cancel, () -> finish(Meaning.RETRYABLE));
    isCanceled(1);
    assertThat(count("SELECT count(*) FROM attempts")).as("the try is recorded").isEqualTo(1);
  }

  @Test
  void aFailureThenCancel() throws Exception {
    insert(SENDING);
    race(() -> finish(Meaning.RETRYABLE), this::cancel);
    isCanceled(1);
    assertThat(count("SELECT count(*) FROM attempts")).isEqualTo(1);
  }

  @Test
  void cancelThenASuccess() throws Exception {
    insert(SENDING);
    race(this::cancel, () -> finish(Meaning.SUCCESS));
    isDelivered();
  }

  @Test
  void cancelThenASuccessOfOneStatement() throws Exception {
    insert(SENDING);
    race(this::cancel, this::finishAtOnce);
    isDelivered();
  }

  @Test
  void aSuccessThenCancel() throws Exception {
    insert(SENDING);
    race(() -> finish(Meaning.SUCCESS), this::cancel);
    isDelivered();
  }

  @Test
  void aSuccessOfOneStatementThenCancel() throws Exception {
    insert(SENDING);
    race(this::finishAtOnce, this::cancel);
    isDelivered();
  }

  // ---- release and rescue ----

  @Test
  void cancelThenARelease() throws Exception {
    insert(SENDING);
    race(this::cancel, this::release);
    isCanceled(0);
    assertThat(count("SELECT count(*) FROM attempts")).as("it was not sent").isZero();
  }

  @Test
  void aReleaseThenCancel() throws Exception {
    insert(SENDING);
    race(this::release, this::cancel);
    isCanceled(0);
  }

  @Test
  void cancelThenARescue() throws Exception {
    insert(SENDING);
    race(this::cancel, this::rescue);
    isCanceled(0);
    assertThat(row().leaseVersion()).as("the fence of the old holder").isEqualTo(VERSION + 1);
    assertThat(
            count("SELECT count(*) FROM attempts WHERE outcome = " + OutcomeClass.UNKNOWN.code()))
        .isEqualTo(1);
    finish(Meaning.SUCCESS);
    isCanceled(0);
  }

  @Test
  void aRescueThenCancel() throws Exception {
    insert(SENDING);
    race(this::rescue, this::cancel);
    isCanceled(0);
    assertThat(row().leaseVersion()).isEqualTo(VERSION + 1);
  }

  // ---- claim: it never waits for a row ----

  private List<Delivery> claim() {
    return database.write(
        handle -> {
          LaneView lane = stores.lanes().tryLockLane(handle, endpoint.id().value(), false);
          DueStore.Head head =
              stores
                  .due()
                  .lockHead(
                      handle,
                      new LaneStore.LaneKey(
                          endpoint.applicationId().value(), endpoint.id().value()),
                      time.nowMs());
          return stores
              .leases()
              .lease(
                  handle,
                  TestLanes.of(endpoint),
                  lane,
                  head == null || !head.locked() ? List.of() : List.of(head.id()),
                  claimOf(),
                  Long.MAX_VALUE);
        });
  }

  private List<Delivery> claimFree() {
    return database.write(
        handle ->
            HotStatements.of(database.dialect())
                .claimFree(
                    handle.getConnection(),
                    List.of(new HotStatements.Room(TestLanes.of(endpoint), 10, 1 << 20, null)),
                    claimOf()));
  }

  private HotStatements.Claim claimOf() {
    return new HotStatements.Claim(INSTANCE, time.nowMs(), time.nowMs() + 90_000, 1_000_000);
  }

  @Test
  void aClaimLeavesADeliveryThatIsBeingCanceled() throws Exception {
    insert(PENDING);
    database.write(handle -> handle.execute("UPDATE lanes SET ordered = false"));
    try (Connection holder = connect();
        Connection probe = connect()) {
      lock(holder);
      CompletableFuture<Void> canceling =
          CompletableFuture.runAsync(this::cancel, Thread::startVirtualThread);
      awaitWaiters(probe, holder, 1);
      assertThat(claimFree()).isEmpty();
      assertThat(claim()).isEmpty();
      holder.rollback();
      canceling.get(60, TimeUnit.SECONDS);
    }
    isCanceled(0);
    assertThat(claimFree()).isEmpty();
    assertThat(claim()).isEmpty();
  }

  @Test
  void aClaimThenCancel() throws Exception {
    insert(PENDING);
    database.write(handle -> handle.execute("UPDATE lanes SET ordered = false"));
    CompletableFuture<Void> canceling =
        database.write(
            handle -> {
              assertThat(
                      HotStatements.of(database.dialect())
                          .claimFree(
                              handle.getConnection(),
                              List.of(
                                  new HotStatements.Room(
                                      TestLanes.of(endpoint), 10, 1 << 20, null)),
                              claimOf()))
                  .hasSize(1);
              CompletableFuture<Void> run =
                  CompletableFuture.runAsync(this::cancel, Thread::startVirtualThread);
              try (Connection probe = connect()) {
                awaitWaiters(probe, handle.getConnection(), 1);
              }
              return run;
            });
    canceling.get(60, TimeUnit.SECONDS);
    assertThat(row().status()).as("the claim was first").isEqualTo(SENDING);
    assertThat(row().reason()).isEqualTo(EndReason.CANCEL_REQUESTED.text());
    assertThat(row().leaseVersion()).isEqualTo(VERSION + 1);
  }

  // ---- a second session that holds and looks ----

  /** What the end of a first lease does that writes a row, up to its commit. */
  private void endWithRow(Connection holder) throws SQLException {
    try (Statement statement = holder.createStatement()) {
      statement.execute("SELECT 1 FROM messages FOR SHARE");
      statement.execute(
          StoredCodes.sql(
                  """
                  INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome, latency_ms, sent_at, url)
                  SELECT application_id, id, '%s', 1, id, '%s', false, {HTTP}, 1, 1, 'u' FROM messages
                  """)
              .formatted(delivery.uuid(), endpoint.id().value().uuid()));
      statement.execute(
          StoredCodes.sql(
                  """
                  INSERT INTO deliveries (application_id, id, message_id, lane_id, status, attempts, lease_version, next_attempt_at, created_at)
                  SELECT application_id, '%s', id, '%s', {FAILED}, 1, 1, 1, 1 FROM messages
                  """)
              .formatted(delivery.uuid(), endpoint.id().value().uuid()));
    }
  }

  private void expunge() {
    new ContentStore(database, DeliveryListener.NONE)
        .expungeMessage(application.id(), new MessageId(message), fixture.ids.next(), time.nowMs());
  }

  private void afterAnEndWithRow(Runnable action) throws Exception {
    new RowlessFixture(database, fixture.ids)
        .messageWithId(application.id().value(), message, endpoint.id().value());
    try (Connection holder = connect();
        Connection probe = connect()) {
      endWithRow(holder);
      CompletableFuture<Void> acting =
          CompletableFuture.runAsync(action, Thread::startVirtualThread);
      awaitWaiters(probe, holder, 1);
      holder.commit();
      acting.get(60, TimeUnit.SECONDS);
    }
  }

  /** The delivery has no row when the cancel begins. */
  @Test
  void aFirstFailureThenCancel() throws Exception {
    afterAnEndWithRow(this::cancel);
    isCanceled(1);
    assertThat(count("SELECT count(*) FROM messages WHERE canceled IS NOT NULL")).isZero();
  }

  @Test
  void aFirstFailureThenExpunge() throws Exception {
    afterAnEndWithRow(this::expunge);
    assertThat(row().status()).isEqualTo(CANCELED);
    assertThat(row().reason()).isEqualTo(EndReason.EXPUNGED.text());
  }

  private Connection connect() throws SQLException {
    Connection connection = database.connect("cancel-race-test", 20_000);
    connection.setAutoCommit(false);
    return connection;
  }

  private void lock(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM deliveries WHERE id = ? FOR UPDATE")) {
      statement.setObject(1, delivery.uuid());
      try (ResultSet row = statement.executeQuery()) {
        assertThat(row.next()).isTrue();
      }
    }
  }

  /** Until that many sessions wait for the holder, or for one that waits for it. */
  private static void awaitWaiters(Connection probe, Connection holder, int count)
      throws SQLException {
    int pid = holder.unwrap(PGConnection.class).getBackendPID();
    Signals.poll(
        count + " wait",
        () -> {
          try (Statement statement = probe.createStatement();
              ResultSet row =
                  statement.executeQuery(
                      """
                      WITH RECURSIVE waiting(pid) AS (
                        SELECT pid FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))
                        UNION SELECT a.pid FROM pg_stat_activity a, waiting w WHERE w.pid = ANY (pg_blocking_pids(a.pid))
                      )
                      SELECT count(*) FROM waiting
                      """
                          .formatted(pid))) {
            row.next();
            boolean wait = row.getInt(1) >= count;
            probe.rollback();
            return wait;
          } catch (SQLException e) {
            throw new AssertionError(e);
          }
        });
  }
}
