package dev.postrider.delivery.store;

import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.loop.LaneFinish;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.maintenance.Pruner;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.RowlessFixture;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestLanes;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever ends a lease without a row, against each of the others, on two connections: the first
 * has written and not yet committed when the second starts. Exactly one of them ends the lease, and
 * it writes the row if its attempt was not a success.
 */
@Timeout(180)
class RowlessRaceTest {
  private static final Id INSTANCE = new Id(7, 7);

  /** Each with the first attempt and the status that are there if it has won. */
  private enum Way {
    FINISH(OutcomeClass.SUCCESS, null),
    FAIL(OutcomeClass.HTTP, DeliveryStatus.FAILED),
    RELEASE(OutcomeClass.VOID, DeliveryStatus.PENDING),
    RESCUE(OutcomeClass.UNKNOWN, DeliveryStatus.FAILED),
    PRUNE(null, null);

    final @Nullable OutcomeClass outcome;
    final @Nullable DeliveryStatus status;

    Way(@Nullable OutcomeClass outcome, @Nullable DeliveryStatus status) {
      this.outcome = outcome;
      this.status = status;
    }
  }

  private final ManualTime time = new ManualTime();
  private PostgresDatabase database;
  private Fixture fixture;
  private RowlessFixture rowless;
  private Application application;
  private Endpoint endpoint;

  @BeforeEach
  void open() {
    database = Databases.postgres();
    fixture = new Fixture(database, time);
    rowless = new RowlessFixture(database, fixture.ids);
    application = fixture.application("acme");
    endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** A delivery that is being sent for the first time, of a message past every retention. */
  private Delivery sending() {
    Id message = rowless.message(application.id().value(), endpoint.id().value());
    long until = time.nowMs() + 90_000;
    LeaseBatch.Key batch =
        new LeaseBatch.Key(
            INSTANCE,
            rowless.leased(
                INSTANCE, application.id().value(), until, message, endpoint.id().value()));
    time.advance(Duration.ofDays(3));
    LeaseBatch leases = new LeaseBatch(batch, until, List.of(), _ -> {});
    return new Delivery(
        new Delivery.Lease(
            new LeaseRef(
                application.id().value(),
                message,
                DeliveryIds.of(message, endpoint.id().value(), Id.ZERO),
                endpoint.id().value(),
                1,
                batch),
            until,
            leases),
        TestLanes.of(endpoint),
        new Delivery.Content("a.b", null, new byte[2], null),
        1,
        0,
        false,
        null,
        Long.MAX_VALUE);
  }

  // ---- what races ----

  private void run(Way way, Database on, Delivery leased, Id attempt) {
    LeaseStore leases = DeliveryStores.of(on).leases();
    switch (way) {
      case FINISH ->
          on.write(
              handle ->
                  HotStatements.of(on.dialect())
                      .finishIfHeld(
                          handle.getConnection(),
                          List.of(
                              anAttempt().id(attempt).sentAtMs(time.nowMs()).delivered(leased))));
      case FAIL ->
          laneFinish(on)
              .finish(
                  List.of(
                      anAttempt()
                          .id(attempt)
                          .status(500)
                          .sentAtMs(time.nowMs())
                          .resultOf(leased, Meaning.RETRYABLE)));
      case RELEASE -> leases.releaseIfHeld(List.of(leased.ref()), time.nowMs(), time.nowMs());
      case RESCUE ->
          DeliveryStores.of(on)
              .rescues()
              .rescueIfHeld(
                  List.of(
                      new RescueStore.Rescue(
                          new RescueStore.OpenLease(leased.ref(), INSTANCE, 0, 0, false),
                          attempt,
                          time.nowMs())),
                  OutcomeClass.UNKNOWN.code(),
                  time.nowMs());
      case PRUNE -> pruner(on).pruneNow();
    }
  }

  private LaneFinish laneFinish(Database on) {
    return TestLanes.finish(on, DeliveryStores.of(on), time);
  }

  private Pruner pruner(Database on) {
    return new Pruner(
        on,
        new RetentionOptions(
            Duration.ofDays(1),
            Duration.ofDays(1),
            Duration.ofDays(1),
            Duration.ofDays(1),
            LocalTime.of(3, 0)),
        time);
  }

  /** Not an error of the database: nothing runs again. */
  private static final class RolledBack extends RuntimeException {}

  /** The database, but its first transaction that has written waits before it ends. */
  private final class Paused {
    final CountDownLatch written = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    private final boolean commits;

    Paused(boolean commits) {
      this.commits = commits;
    }

    Database database() {
      return (Database)
          Proxy.newProxyInstance(
              Database.class.getClassLoader(),
              new Class<?>[] {Database.class},
              (_, method, arguments) -> {
                if (method.getName().equals("write")) {
                  Database.Work<?> work = (Database.Work<?>) arguments[0];
                  return database.write(
                      handle -> {
                        Object result = work.run(handle);
                        written.countDown();
                        goOn.await();
                        if (!commits) {
                          throw new RolledBack();
                        }
                        return result;
                      });
                }
                try {
                  return method.invoke(database, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  private void race(Way first, Way second, boolean commits) throws Exception {
    Delivery leased = sending();
    Id one = fixture.ids.next();
    Id other = fixture.ids.next();
    Paused paused = new Paused(commits);
    CompletableFuture<Void> a =
        CompletableFuture.runAsync(() -> run(first, paused.database(), leased, one), starter());
    Signals.poll("written or over", () -> paused.written.getCount() == 0 || a.isDone());
    CompletableFuture<Void> b =
        CompletableFuture.runAsync(() -> run(second, database, leased, other), starter());
    Signals.poll("the second waits or is over", () -> b.isDone() || waits());
    paused.goOn.countDown();
    try {
      a.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(RolledBack.class);
    }
    b.get(60, TimeUnit.SECONDS);
    Way winner = first != Way.PRUNE && commits ? first : second;
    check(leased, winner, winner == first && commits ? one : other);
  }

  private static java.util.concurrent.Executor starter() {
    return Thread::startVirtualThread;
  }

  private boolean waits() {
    return count("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0;
  }

  private void check(Delivery leased, Way winner, Id attempt) {
    String what = "won by " + winner;
    List<Id> attempts =
        database.read(
            handle ->
                handle
                    .createQuery("SELECT id FROM attempts WHERE delivery_id = :id")
                    .bind("id", leased.id())
                    .mapTo(Id.class)
                    .list());
    List<Integer> outcomes =
        numbers("SELECT outcome FROM attempts WHERE delivery_id = :id", leased);
    List<Integer> statuses = numbers("SELECT status FROM deliveries WHERE id = :id", leased);
    assertThat(numbers("SELECT 1 FROM messages WHERE id = :id", leased)).as(what).hasSize(1);
    if (winner == Way.PRUNE) {
      assertThat(attempts).as(what).isEmpty();
      assertThat(statuses).as(what).isEmpty();
      return;
    }
    Id recorded = winner == Way.RELEASE ? leased.id() : attempt;
    assertThat(attempts).as(what).containsExactly(recorded);
    assertThat(outcomes).as(what).containsExactly(winner.outcome.code());
    assertThat(statuses)
        .as(what)
        .isEqualTo(winner.status == null ? List.of() : List.of(winner.status.code()));
  }

  private List<Integer> numbers(String sql, Delivery leased) {
    Id id = sql.contains("FROM messages") ? leased.messageId() : leased.id();
    return database.read(
        handle -> handle.createQuery(sql).bind("id", id).mapTo(Integer.class).list());
  }

  private long count(String sql) {
    return database.read(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }

  @ParameterizedTest
  @EnumSource
  void oneOfTwoEndsTheLease(Way first) throws Exception {
    for (Way second : Way.values()) {
      race(first, second, true);
      race(first, second, false);
    }
  }

  /** Both have found the lease held; nothing locks an attempt that is not there yet. */
  @ParameterizedTest
  @EnumSource(names = {"FAIL", "RELEASE", "RESCUE"})
  void anEndBetweenTwoReadsIsSeen(Way second) {
    Delivery leased = sending();
    LeaseStore leases = DeliveryStores.of(database).leases();
    AtomicInteger runs = new AtomicInteger();
    List<Integer> held = new ArrayList<>();
    database.write(
        handle -> {
          int found = leases.lockHeld(handle, List.of(leased.ref())).size();
          held.add(found);
          if (runs.incrementAndGet() == 1) {
            CompletableFuture.runAsync(
                    () -> run(second, database, leased, fixture.ids.next()), starter())
                .get(60, TimeUnit.SECONDS);
          }
          if (found > 0) {
            leases.endHeld(
                handle,
                List.of(
                    anAttempt().id(fixture.ids.next()).sentAtMs(time.nowMs()).delivered(leased)));
          }
          return found;
        });
    assertThat(held).as("run again, with the lease gone").containsExactly(1, 0);
    assertThat(numbers("SELECT outcome FROM attempts WHERE delivery_id = :id", leased))
        .containsExactly(second.outcome.code());
  }

  /** The attempt is gone again; what keeps a thawed instance from writing it is the batch. */
  @Test
  void noAttemptIsWrittenAfterTheBatchIsDeleted() {
    Delivery leased = sending();
    run(Way.FINISH, database, leased, fixture.ids.next());
    RescueStore rescues = DeliveryStores.of(database).rescues();
    pruner(database).pruneNow();
    assertThat(count("SELECT count(*) FROM messages")).as("a batch names it").isEqualTo(1);
    assertThat(rescues.leasesOf(INSTANCE, 10)).isEmpty();
    assertThat(count("SELECT count(*) FROM lease_batches")).isZero();
    time.advance(Duration.ofDays(3));
    pruner(database).pruneNow();
    assertThat(count("SELECT count(*) FROM messages")).isZero();

    for (Way late : List.of(Way.FINISH, Way.FAIL, Way.RELEASE, Way.RESCUE)) {
      run(late, database, leased, fixture.ids.next());
    }
    assertThat(count("SELECT count(*) FROM attempts")).isZero();
    assertThat(count("SELECT count(*) FROM deliveries")).isZero();
  }

  /** A batch with one lease that has not ended stays, and its message with it. */
  @Test
  void aBatchStaysUntilTheLastOfItsLeasesHasEnded() {
    Delivery leased = sending();
    RescueStore rescues = DeliveryStores.of(database).rescues();
    assertThat(rescues.leasesOf(INSTANCE, 10)).hasSize(1);
    assertThat(rescues.endedLeases(List.of(), time.nowMs(), 10)).as("expired").hasSize(1);
    assertThat(count("SELECT count(*) FROM lease_batches")).isEqualTo(1);
    assertThat(pruner(database).pruneNow().messages()).isZero();
    run(Way.RESCUE, database, leased, fixture.ids.next());
    assertThat(rescues.leasesOf(INSTANCE, 10)).isEmpty();
    assertThat(count("SELECT count(*) FROM lease_batches")).isZero();
  }

  /** A cancel that came while it was being sent: only a success is still a success. */
  @ParameterizedTest
  @EnumSource
  void aCancelDecidesUnlessTheAttemptSucceeds(Way way) {
    Delivery leased = sending();
    rowless.canceled(application.id().value(), leased.messageId(), endpoint.id().value());
    run(way, database, leased, fixture.ids.next());
    List<String> reasons =
        database.read(
            handle ->
                handle
                    .createQuery("SELECT status || ' ' || reason FROM deliveries")
                    .mapTo(String.class)
                    .list());
    if (way == Way.FINISH || way == Way.PRUNE) {
      assertThat(reasons).isEmpty();
    } else {
      assertThat(reasons)
          .containsExactly(
              DeliveryStatus.CANCELED.code() + " " + EndReason.CANCEL_REQUESTED.text());
    }
  }
}
