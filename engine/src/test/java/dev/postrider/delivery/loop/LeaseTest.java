package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.FAILED;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import dev.postrider.time.SystemTime;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Leases when instances die, freeze or forget (engine rules 8, 11, 12). */
@Order(1)
class LeaseTest extends EngineBehaviour {
  private static final String[] QUICK = {
    "HEARTBEAT=100ms", "DEAD_AFTER=1s", "RETRY_SCHEDULE=1h", "BREAKER_SPAN=0s", "BREAKER_FAILURES=1"
  };

  private final CountDownLatch late = new CountDownLatch(1);
  private final AtomicInteger lateStatus = new AtomicInteger(200);

  /** The first request waits until the test releases it; later ones are answered at once. */
  private void holdTheFirst() {
    AtomicInteger count = new AtomicInteger();
    receiver.behave(
        request -> {
          if (count.getAndIncrement() == 0) {
            late.await(30, TimeUnit.SECONDS);
            return Receiver.Answer.of(lateStatus.get());
          }
          return Receiver.Answer.of(200);
        });
  }

  @Test
  void leasesOfAKilledInstanceAreRescued() {
    receiver.behave(request -> receiver.requests().size() <= 3 ? hang() : Receiver.Answer.of(200));
    TestEngine doomed = start(Databases.Kind.POSTGRES, QUICK);
    Application application = engines.application(doomed, "acme");
    Endpoint ordered =
        engines.endpoint(
            doomed, application, EndpointSpec.of(receiver.url("/ordered")).with(ORDERED, true));
    engines.endpoint(doomed, application, receiver.url("/a"));
    engines.endpoint(doomed, application, receiver.url("/b"));
    Engines.send(doomed, application, "{}");
    receiver.await(3);
    TestEngine other = engines.start(QUICK);
    Id instance = doomed.instance();

    long began = System.nanoTime();
    engines.forget(doomed);
    doomed.halt();
    receiver.await(6);
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);

    untilAllAre(other, DELIVERED);
    assertThat(tookMs).as("within the time of death").isBetween(500L, 6_000L);
    assertThat(
            Engines.number(
                other,
                "SELECT count(*) FROM attempts WHERE number = 1 AND outcome = "
                    + OutcomeClass.UNKNOWN.code()))
        .as("unknown")
        .isEqualTo(3);
    assertThat(Engines.deliveries(other))
        .allMatch(row -> row.attempts() == 1)
        // The rescue of a row raises its version; without a row the unknown attempt is the fence.
        .allMatch(row -> row.leaseVersion() == (row.laneId().equals(ordered.id().value()) ? 3 : 2));
    assertThat(Engines.lane(other, ordered.id().value()).inFlight()).isNull();
    await(
        "the dead instance's row is gone",
        () ->
            Engines.number(
                    other, "SELECT count(*) FROM instances WHERE id = '" + instance.uuid() + "'")
                == 0);
  }

  @Test
  void aFrozenInstanceCannotOverwrite() throws Exception {
    holdTheFirst();
    CountDownLatch lost = new CountDownLatch(1);
    engines = new Engines(Databases.Kind.POSTGRES, folder);
    TestEngine frozen =
        engines.start(
            new DeliveryListener() {
              @Override
              public void leaseLost(Outcome outcome) {
                lost.countDown();
              }
            },
            QUICK);
    TestEngine other = engines.start(QUICK);
    Application application = engines.application(frozen, "acme");
    Endpoint endpoint = engines.endpoint(frozen, application, receiver.url("/"));
    Engines.send(frozen, application, "{}");
    receiver.await(1);

    frozen.stopHeartbeat();
    receiver.await(2);
    untilAllAre(other, DELIVERED);
    Engines.Row before = Engines.deliveries(other).getFirst();
    lateStatus.set(500);
    late.countDown();

    assertThat(lost.await(60, TimeUnit.SECONDS)).as("told that the lease is lost").isTrue();
    assertThat(Engines.deliveries(other)).containsExactly(before);
    assertThat(Engines.lane(other, endpoint.id().value()).state())
        .as("nor does it count for the lane")
        .isEqualTo(LaneState.FRESH);
    assertThat(Engines.attempts(other)).isEqualTo(2);
  }

  /**
   * The late end of a lost lease must not free the lane that the same delivery holds by its new
   * lease.
   */
  @Test
  void aLateFinishLeavesAnOrderedLaneToItsHolder() throws Exception {
    AtomicInteger count = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(1);
    receiver.behave(
        request -> {
          int n = count.getAndIncrement();
          (n == 0 ? late : n == 1 ? second : new CountDownLatch(0)).await(30, TimeUnit.SECONDS);
          return Receiver.Answer.of(200);
        });
    CountDownLatch lost = new CountDownLatch(1);
    engines = new Engines(Databases.Kind.POSTGRES, folder);
    TestEngine frozen =
        engines.start(
            new DeliveryListener() {
              @Override
              public void leaseLost(Outcome outcome) {
                lost.countDown();
              }
            },
            QUICK);
    Application application = engines.application(frozen, "acme");
    Endpoint endpoint =
        engines.endpoint(
            frozen, application, EndpointSpec.of(receiver.url("/")).with(ORDERED, true));
    sendMany(frozen, application, 2);
    receiver.await(1);
    TestEngine other = engines.start(QUICK);
    frozen.stopHeartbeat();
    receiver.await(2);
    Id holder = Engines.lane(other, endpoint.id().value()).inFlight();

    late.countDown();
    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();

    assertThat(holder).isNotNull();
    assertThat(Engines.lane(other, endpoint.id().value()).inFlight()).isEqualTo(holder);
    second.countDown();
    untilAllAre(other, DELIVERED);
    assertThat(numbers(receiver.requests())).containsExactly(0, 0, 1);
  }

  @Test
  void withoutAFreshHeartbeatNoRequestIsSent() {
    TestEngine cutOff = start(Databases.Kind.POSTGRES, "HEARTBEAT=100ms", "DEAD_AFTER=600ms");
    Application application = engines.application(cutOff, "acme");
    engines.endpoint(cutOff, application, receiver.url("/"));
    cutOff.stopHeartbeat();
    await("stale", () -> !cutOff.healthy());

    sendMany(cutOff, application, 5);
    await(
        "nothing is held",
        () -> cutOff.lanes().room().leased() == 0 && cutOff.lanes().table().leases() == 0);
    assertThat(receiver.requests()).isEmpty();

    TestEngine other = engines.start("HEARTBEAT=100ms", "DEAD_AFTER=600ms");
    receiver.await(5);
    untilAllAre(other, DELIVERED);
  }

  @ParameterizedTest
  @EnumSource
  void leasesNotHeldInMemoryAreReleased(Databases.Kind kind) {
    TestEngine engine = start(kind, "HEARTBEAT=100ms", "DEAD_AFTER=400ms");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint =
        engines.endpoint(
            engine, application, EndpointSpec.of(receiver.url("/")).with(ORDERED, true));
    Engines.backlog(engine, application, List.of(endpoint.id().value()), 1, 2);
    // As if a claim had been committed and its answer lost.
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      StoredCodes.sql(
                              "UPDATE deliveries SET status = {SENDING}, lease_version = 1,"
                                  + " leased_by = :self,")
                          + " lease_until = :until, next_attempt_at = NULL, lane_seq = 1")
                  .bind("self", engine.instance())
                  .bind("until", engine.time().nowMs() + 60_000)
                  .execute();
              return handle
                  .createUpdate("UPDATE lanes SET in_flight = (SELECT id FROM deliveries)")
                  .execute();
            });

    receiver.await(1);
    untilAllAre(engine, DELIVERED);
    assertThat(Engines.attempts(engine)).as("no attempt was spent").isEqualTo(1);
    assertThat(Engines.lane(engine, endpoint.id().value()).inFlight()).isNull();
  }

  /** Both instances live: the lease ends by its own time all the same (engine rule 11). */
  @Test
  void aLeaseOfALiveInstanceEndsWhenItsTimeIsUp() throws Exception {
    holdTheFirst();
    CountDownLatch lost = new CountDownLatch(1);
    engines = new Engines(Databases.Kind.POSTGRES, folder);
    TestEngine holder =
        engines.start(
            new DeliveryListener() {
              @Override
              public void leaseLost(Outcome outcome) {
                lost.countDown();
              }
            },
            QUICK);
    TestEngine other = engines.start(QUICK);
    Application application = engines.application(holder, "acme");
    engines.endpoint(holder, application, receiver.url("/"));
    Engines.send(holder, application, "{}");
    receiver.await(1);
    assertThat(Engines.number(other, "SELECT max(lease_until) FROM lease_batches"))
        .as("a lease outlasts the longest try")
        .isGreaterThan(other.time().nowMs() + 60_000);

    Engines.sql(other, "UPDATE lease_batches SET lease_until = " + (other.time().nowMs() + 300));
    receiver.await(2);
    untilAllAre(other, DELIVERED);
    late.countDown();

    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Engines.count(other, "instances")).as("nobody is dead").isEqualTo(2);
    assertThat(Engines.attempts(other, OutcomeClass.UNKNOWN)).isEqualTo(1);
  }

  /** A lease of an instance without a row does not wait for its own time. */
  @ParameterizedTest
  @EnumSource
  void leasesOfAnUnknownInstanceAreRescued(Databases.Kind kind) {
    TestEngine engine = start(kind, "HEARTBEAT=100ms", "DEAD_AFTER=400ms");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                          + " :id, 'a', :payload)")
                  .bind("app", application.id())
                  .bind("id", new Id(5, 5))
                  .bind("payload", new byte[] {'{', '}'})
                  .execute();
              return handle
                  .createUpdate(
                      StoredCodes.sql(
                          "INSERT INTO deliveries (application_id, id, message_id, lane_id, status,"
                              + " lease_version, leased_by, lease_until, created_at) VALUES (:app,"
                              + " :id, :message, :lane, {SENDING}, 1, :by, :until, 0)"))
                  .bind("app", application.id())
                  .bind("id", new Id(6, 6))
                  .bind("message", new Id(5, 5))
                  .bind("lane", endpoint.id())
                  .bind("by", new Id(9, 9))
                  .bind("until", engine.time().nowMs() + 90_000)
                  .execute();
            });

    receiver.await(1);
    untilAllAre(engine, DELIVERED);
    assertThat(Engines.attempts(engine, OutcomeClass.UNKNOWN))
        .as("its outcome is unknown")
        .isEqualTo(1);
  }

  /** A busy pool does not stop heartbeats, which have a connection of their own. */
  @Test
  void anInstanceWithABusyPoolKeepsItsHeartbeat() throws Exception {
    String[] quick = {"HEARTBEAT=100ms", "DEAD_AFTER=2s", "DATABASE_POOL_SIZE=2"};
    TestEngine busy = start(Databases.Kind.POSTGRES, quick);
    TestEngine other = engines.start(quick);
    CountDownLatch held = new CountDownLatch(2);
    CountDownLatch done = new CountDownLatch(1);
    for (int i = 0; i < 2; i++) {
      Thread.ofVirtual()
          .start(
              () ->
                  busy.database()
                      .write(
                          handle -> {
                            held.countDown();
                            return done.await(20, TimeUnit.SECONDS);
                          }));
    }
    assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
    long before = heartbeats(other, busy);

    // Longer than the others wait for a sign of life.
    await("many heartbeats", () -> heartbeats(other, busy) > before + 30);
    assertThat(busy.healthy()).isTrue();
    assertThat(Engines.count(other, "instances")).isEqualTo(2);
    done.countDown();
  }

  private static long heartbeats(TestEngine observer, TestEngine of) {
    return Engines.number(
        observer, "SELECT heartbeat FROM instances WHERE id = '" + of.instance().uuid() + "'");
  }

  /** By the clock the lease ended long ago; its try is under way all the same. */
  @Test
  void leasesOfALiveInstanceSurviveADatabaseClockSetForward() {
    holdTheFirst();
    AtomicLong setBy = new AtomicLong();
    engines = new Engines(Databases.Kind.SQLITE, folder);
    TestEngine engine =
        engines.start(new SystemTime(() -> System.currentTimeMillis() + setBy.get()), QUICK);
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    receiver.await(1);

    long before = engine.time().nowMs();
    long halfAnHour = TimeUnit.MINUTES.toMillis(30);
    setBy.set(halfAnHour);
    await("the clock is noticed", () -> engine.time().nowMs() >= before + halfAnHour);
    String beat = "SELECT heartbeat FROM instances";
    long beats = Engines.number(engine, beat);
    await("the rescuer came by", () -> Engines.number(engine, beat) > beats + 5);
    late.countDown();
    untilAllAre(engine, DELIVERED);

    assertThat(receiver.requests()).hasSize(1);
    assertThat(Engines.attempts(engine, OutcomeClass.UNKNOWN)).isZero();
  }

  /** Ten days ahead and ten days behind: the database's clock counts, and deaths need none. */
  @Test
  void wrongWallClocksNeitherKillNorRescue() {
    long tenDays = TimeUnit.DAYS.toMillis(10);
    String[] quick = {"HEARTBEAT=100ms", "DEAD_AFTER=1s", "RETRY_SCHEDULE=700ms"};
    receiver.behave(
        request -> Receiver.Answer.of(request.header("postrider-attempt").equals("1") ? 500 : 200));
    TestEngine right = start(Databases.Kind.POSTGRES, quick);
    AtomicLong wrongBy = new AtomicLong(tenDays);
    TestEngine ahead =
        engines.start(new SystemTime(() -> System.currentTimeMillis() + wrongBy.get()), quick);
    TestEngine behind =
        engines.start(new SystemTime(() -> System.currentTimeMillis() - tenDays), quick);
    Application application = engines.application(right, "acme");
    engines.endpoint(right, application, receiver.url("/"));

    long began = right.time().nowMs();
    for (TestEngine engine : List.of(right, ahead, behind)) {
      Id message = Engines.send(engine, application, "{}");
      assertThat(Math.abs(message.epochMs() - right.time().nowMs()))
          .as("ids follow the database's clock")
          .isLessThan(60_000);
      assertThat(Math.abs(engine.time().nowMs() - right.time().nowMs())).isLessThan(1_000);
    }
    untilAllAre(right, DELIVERED);
    long tookMs = right.time().nowMs() - began;
    wrongBy.set(-tenDays); // someone sets the clock of a running machine
    await(
        "the next heartbeat measures it again",
        () -> Math.abs(ahead.time().nowMs() - right.time().nowMs()) < 1_000);
    long beats = heartbeats(right, ahead);
    await("more heartbeats", () -> heartbeats(right, ahead) > beats + 15);

    assertThat(tookMs).as("retries are not early, nor ten days late").isBetween(600L, 15_000L);
    assertThat(Engines.count(right, "instances")).as("all live").isEqualTo(3);
    assertThat(Engines.attempts(right, OutcomeClass.UNKNOWN)).as("nothing was rescued").isZero();
    assertThat(receiver.requests()).hasSize(6);
  }

  @ParameterizedTest
  @EnumSource
  void theThirdRescueInARowBacksOff(Databases.Kind kind) {
    receiver.behave(request -> hang());
    TestEngine engine = start(kind, "RETRY_SCHEDULE=1h", "HEARTBEAT=100ms", "DEAD_AFTER=1s");
    Application application = engines.application(engine, "acme");
    Endpoint endpoint = engines.endpoint(engine, application, receiver.url("/"));
    Engines.backlog(engine, application, List.of(endpoint.id().value()), 1, 2);
    engine.lanes().add(application.id().value(), endpoint.id().value(), 0);

    for (int rescue = 1; rescue <= 3; rescue++) {
      receiver.await(rescue);
      LeaseRef lease =
          engine.deliveries().rescues().leasesOf(engine.instance(), 1).getFirst().lease();
      Engines.sql(engine, "UPDATE deliveries SET lease_until = 1 WHERE lease_until IS NOT NULL");
      engine
          .lanes()
          .table()
          .release(
              lease.laneId(),
              lease.deliveryId(),
              lease.leaseVersion()); // as if another process had taken it
      int wanted = rescue;
      await(
          "rescue " + rescue,
          () -> Engines.number(engine, "SELECT rescues FROM deliveries") == wanted);
    }

    await("waiting", () -> Engines.deliveries(engine).getFirst().status() == FAILED);
    assertThat(Engines.deliveries(engine).getFirst().nextAttemptAt() - engine.time().nowMs())
        .isGreaterThan(50 * 60_000L);
    assertThat(receiver.requests()).hasSize(3);
    assertThat(Engines.attempts(engine, OutcomeClass.UNKNOWN)).isEqualTo(3);
  }
}
