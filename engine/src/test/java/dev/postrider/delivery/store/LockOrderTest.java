package dev.postrider.delivery.store;

import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.loop.LaneFinish;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestLanes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/**
 * Multi-row writes lock deliveries in id order and lanes after them; what deadlocks all the same is
 * run again (engine rule 16). A row is held from outside, and while the write waits for it the
 * other rows are probed.
 */
@Timeout(120)
class LockOrderTest {
  private static final int VERSION = 1;
  private static final Id INSTANCE = new Id(7, 7);

  private final ManualTime time = new ManualTime();
  private PostgresDatabase database;
  private DeliveryStores stores;
  private Fixture fixture;
  private Application application;
  private final List<Endpoint> endpoints = new ArrayList<>();

  /** In id order. */
  private final List<LeaseRef> leases = new ArrayList<>();

  @BeforeEach
  void open() {
    database = Databases.postgres();
    stores = DeliveryStores.of(database);
    fixture = new Fixture(database, time);
    application = fixture.application("acme");
    for (int i = 0; i < 2; i++) {
      endpoints.add(
          fixture.endpoint(
              application, EndpointSpec.of("https://example.com/" + i).with(ORDERED, true)));
    }
    for (int i = 0; i < 4; i++) {
      leases.add(insert(endpoints.get(i % 2).id().value(), DeliveryStatus.SENDING));
    }
    leases.sort(Comparator.comparing(LeaseRef::deliveryId));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private LeaseRef insert(Id lane, DeliveryStatus status) {
    Id message = fixture.ids.next();
    Id delivery = DeliveryIds.of(message, lane, Id.ZERO);
    boolean leased = status == DeliveryStatus.SENDING;
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO deliveries (application_id, id, message_id, lane_id, status, lease_version, leased_by, lease_until, created_at)
                    VALUES (:app, :id, :message, :lane, :status, :version, :by, :until, :now)
                    """)
                .bind("app", application.id())
                .bind("id", delivery)
                .bind("message", message)
                .bind("lane", lane)
                .bind("status", status.code())
                .bind("version", VERSION)
                .bindByType("by", leased ? INSTANCE : null, Id.class)
                .bind("until", leased ? Long.valueOf(time.nowMs() + 90_000) : null)
                .bind("now", time.nowMs())
                .execute());
    return new LeaseRef(application.id().value(), message, delivery, lane, VERSION, null);
  }

  private Outcome failed(LeaseRef lease) {
    Delivery delivery =
        aLease()
            .application(lease.applicationId())
            .delivery(lease.deliveryId())
            .message(fixture.ids.next())
            .lane(lease.laneId())
            .version(VERSION)
            .untilMs(time.nowMs() + 90_000)
            .build();
    return anAttempt()
        .id(fixture.ids.next())
        .status(500)
        .sentAtMs(time.nowMs())
        .resultOf(delivery, Meaning.RETRYABLE);
  }

  private LaneFinish laneFinish() {
    return TestLanes.finish(database, stores, time);
  }

  @Test
  void finishesLockDeliveriesByIdAndThenLanes() throws Exception {
    // Given in another order than that of the ids.
    List<Outcome> batch = leases.reversed().stream().map(this::failed).toList();
    assertOrder(() -> laneFinish().finish(batch));
  }

  @Test
  void releasesLockDeliveriesByIdAndThenLanes() throws Exception {
    assertOrder(() -> stores.leases().releaseIfHeld(leases.reversed(), time.nowMs(), time.nowMs()));
  }

  /** Holds the third delivery: the first two are locked then, the fourth and the lanes are not. */
  private void assertOrder(Runnable write) throws Exception {
    try (Connection holder = connect();
        Connection probe = connect()) {
      lock(holder, "deliveries", leases.get(2).deliveryId());
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(write, Thread::startVirtualThread);
      awaitWaiter(holder, probe);
      assertThat(free(probe, "deliveries", leases.get(0).deliveryId())).isFalse();
      assertThat(free(probe, "deliveries", leases.get(1).deliveryId())).isFalse();
      assertThat(free(probe, "deliveries", leases.get(3).deliveryId())).isTrue();
      for (Endpoint endpoint : endpoints) {
        assertThat(free(probe, "lanes", endpoint.id().value())).isTrue();
      }
      holder.rollback();
      writing.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aRedriveToAnOrderedLaneLocksTheDeliveryFirst() throws Exception {
    LeaseRef dead = insert(endpoints.getFirst().id().value(), DeliveryStatus.DEAD_LETTER);
    try (Connection holder = connect();
        Connection probe = connect()) {
      lock(holder, "deliveries", dead.deliveryId());
      CompletableFuture<DeliveryStatus> redriving =
          CompletableFuture.supplyAsync(
              () ->
                  new RedriveStore(database)
                      .redriveOne(
                          application.id().value(),
                          dead.deliveryId(),
                          dead.laneId(),
                          fixture.ids.next(),
                          time.nowMs()),
              Thread::startVirtualThread);
      awaitWaiter(holder, probe);
      assertThat(free(probe, "lanes", dead.laneId())).isTrue();
      holder.rollback();
      assertThat(redriving.get(60, TimeUnit.SECONDS)).isEqualTo(DeliveryStatus.PENDING);
    }
  }

  @Test
  void aDeadlockIsRunAgain() throws Exception {
    Id first = leases.get(0).deliveryId();
    Id second = leases.get(1).deliveryId();
    CyclicBarrier bothHoldOne = new CyclicBarrier(2);
    AtomicInteger runs = new AtomicInteger();

    CompletableFuture<Void> forth =
        CompletableFuture.runAsync(
            () -> updateBoth(first, second, bothHoldOne, runs), Thread::startVirtualThread);
    CompletableFuture<Void> back =
        CompletableFuture.runAsync(
            () -> updateBoth(second, first, bothHoldOne, runs), Thread::startVirtualThread);
    forth.get(30, TimeUnit.SECONDS);
    back.get(30, TimeUnit.SECONDS);

    // More than one repeat is possible: the run that is repeated can lock its first row before the
    // waiting one, which PostgreSQL has only just woken, does.
    assertThat(runs.get()).as("one of the two ran again").isGreaterThanOrEqualTo(3);
    List<Integer> written =
        database.read(
            handle ->
                handle
                    .createQuery("SELECT attempts FROM deliveries WHERE id IN (:a, :b)")
                    .bind("a", first)
                    .bind("b", second)
                    .mapTo(Integer.class)
                    .list());
    assertThat(written).as("and both wrote").containsExactly(2, 2);
  }

  private void updateBoth(Id one, Id other, CyclicBarrier barrier, AtomicInteger runs) {
    AtomicInteger own = new AtomicInteger();
    database.write(
        handle -> {
          runs.incrementAndGet();
          bump(handle, one);
          if (own.getAndIncrement() == 0) {
            barrier.await(20, TimeUnit.SECONDS);
          }
          bump(handle, other);
          return null;
        });
  }

  private static void bump(org.jdbi.v3.core.Handle handle, Id id) {
    handle
        .createUpdate("UPDATE deliveries SET attempts = attempts + 1 WHERE id = :id")
        .bind("id", id)
        .execute();
  }

  // ---- a second session that holds and probes ----

  private Connection connect() throws SQLException {
    Connection connection = database.connect("lock-order-test", 20_000);
    connection.setAutoCommit(false);
    return connection;
  }

  private static void lock(Connection connection, String table, Id id) throws SQLException {
    assertThat(tryLock(connection, table, id)).isTrue();
  }

  private static boolean free(Connection connection, String table, Id id) throws SQLException {
    boolean free = tryLock(connection, table, id);
    connection.rollback();
    return free;
  }

  private static boolean tryLock(Connection connection, String table, Id id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT 1 FROM " + table + " WHERE id = ? FOR UPDATE SKIP LOCKED")) {
      statement.setObject(1, id.uuid());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Until a session waits for the row that the holder has. */
  private static void awaitWaiter(Connection holder, Connection probe) throws SQLException {
    int pid = holder.unwrap(PGConnection.class).getBackendPID();
    Signals.poll(
        "the write waits",
        () -> {
          try (Statement statement = probe.createStatement();
              ResultSet row =
                  statement.executeQuery(
                      "SELECT count(*) FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))"
                          .formatted(pid))) {
            row.next();
            boolean waits = row.getInt(1) > 0;
            probe.rollback();
            return waits;
          } catch (SQLException e) {
            throw new AssertionError(e);
          }
        });
  }
}
