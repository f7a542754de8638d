package dev.postrider.delivery.lane;

import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static dev.postrider.delivery.DeliveryStatus.SENDING;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationChanged;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory and turns stay bounded whatever waits. */
class BoundsTest extends EngineBehaviour {

  @ParameterizedTest
  @EnumSource
  void fiftyThousandWaitingDeliveriesStayInTheDatabase(Databases.Kind kind) {
    TestEngine engine =
        start(kind, "MAX_IN_FLIGHT=60", "MAX_IN_FLIGHT_PER_ENDPOINT=40", "APPLICATION_SHARE=1");
    Application application = engines.application(engine, "acme");
    List<Id> lanes = new ArrayList<>();
    for (int n = 0; n < 5; n++) {
      lanes.add(engines.endpoint(engine, application, receiver.url("/" + n)).id().value());
    }
    Engines.backlog(engine, application, lanes, 10_000, 2);
    lanes.forEach(lane -> engine.lanes().add(application.id().value(), lane, 0));

    int mostLeased = 0;
    int mostInFlight = 0;
    long mostInTable = 0;
    int turn = 0;
    while (receiver.count() < 1_500) {
      mostLeased = Math.max(mostLeased, engine.lanes().room().leased());
      mostInFlight = Math.max(mostInFlight, engine.lanes().room().inFlight());
      if (turn++ % 20 == 0) {
        mostInTable = Math.max(mostInTable, Engines.count(engine, SENDING));
        // New ones are accepted all the while and compete for the places.
        Engines.send(engine, application, "{}");
      }
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500)); // between two samples
    }
    assertThat(mostLeased).isBetween(20, 60);
    assertThat(mostInFlight).isBetween(10, 60);
    assertThat(mostInTable).isLessThanOrEqualTo(60);
  }

  @ParameterizedTest
  @EnumSource
  void leasedBytesAreBounded(Databases.Kind kind) {
    receiver.behave(request -> hang());
    TestEngine engine = start(kind, "MAX_LEASED_BYTES=1MB", "APPLICATION_SHARE=1");
    Application application = engines.application(engine, "acme");
    List<Id> lanes = new ArrayList<>();
    lanes.add(engines.endpoint(engine, application, receiver.url("/a")).id().value());
    lanes.add(engines.endpoint(engine, application, receiver.url("/b")).id().value());
    lanes.add(
        engines
            .endpoint(
                engine, application, EndpointSpec.of(receiver.url("/c")).with(THROTTLE_RATE, 1000))
            .id()
            .value());

    Engines.backlog(engine, application, lanes, 40, 100_000);
    lanes.forEach(lane -> engine.lanes().add(application.id().value(), lane, 0));
    receiver.await(10);
    await("full", () -> !engine.lanes().room().anyRoom());

    // One more than fits is how full is noticed, per kind of claim.
    assertThat(engine.lanes().room().leasedBytes()).isLessThanOrEqualTo((1 << 20) + 2 * 101_000);
    assertThat(Engines.count(engine, SENDING)).isLessThanOrEqualTo(12);
  }

  @ParameterizedTest
  @EnumSource
  void thousandsOfParkedLanesDoNotDelayAFreeOne(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Application parked = engines.application(engine, "parked");
    Endpoint free =
        engines.endpoint(
            engine, application, EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 1_000));
    park(engine, parked, 10_000);
    engine
        .events()
        .publish(new ApplicationChanged(parked.id(), ApplicationChanged.Change.UPDATED, List.of()));

    long worst = 0;
    for (int n = 1; n <= 20; n++) {
      long began = System.nanoTime();
      Engines.send(engine, application, "{}");
      int wanted = n;
      receiver.await(wanted);
      worst = Math.max(worst, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    }
    assertThat(worst).isLessThan(3_000);
    assertThat(deliveriesTo(engine, free)).hasSize(20);
    assertThat(Engines.count(engine, PENDING))
        .as("the parked ones wait")
        .isGreaterThanOrEqualTo(20_000);
    assertThat(Engines.attempts(engine)).isLessThanOrEqualTo(20);
  }

  /** Half of them with an open circuit, half paused, two waiting deliveries each. */
  private static void park(TestEngine engine, Application application, int lanes) {
    boolean sqlite = engine.database().dialect() == Dialect.SQLITE;
    String series =
        sqlite
            ? "(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < :n) SELECT"
                + " i FROM s) AS s"
            : "generate_series(1, :n) AS s(i)";
    String newId = sqlite ? "randomblob(16)" : "gen_random_uuid()";
    long now = engine.time().nowMs();
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "INSERT INTO endpoints (id, application_id, url, max_in_flight, created_at,"
                          + " updated_at) SELECT "
                          + newId
                          + ", :app, 'http://127.0.0.1:1/', i, :now, :now FROM "
                          + series)
                  .bind("app", application.id())
                  .bind("now", now)
                  .bind("n", lanes)
                  .execute();
              handle
                  .createUpdate(
                      StoredCodes.sql(
                          """
                          INSERT INTO lanes (id, application_id, circuit, open_until, paused)
                          SELECT id, application_id, CASE WHEN max_in_flight % 2 = 0 THEN {OPEN} ELSE {CLOSED} END, :later, max_in_flight % 2 = 1
                            FROM endpoints WHERE application_id = :app
                          """))
                  .bind("app", application.id())
                  .bind("later", now + 3_600_000)
                  .execute();
              for (int n = 0; n < 2; n++) {
                handle
                    .createUpdate(
                        StoredCodes.sql(
                            "INSERT INTO deliveries (application_id, id, message_id, lane_id,"
                                + " status, next_attempt_at, created_at) SELECT application_id, "
                                + newId
                                + ", id, id, {PENDING}, :now, :now FROM lanes WHERE application_id"
                                + " = :app"))
                    .bind("app", application.id())
                    .bind("now", now)
                    .execute();
              }
              return null;
            });
  }
}
