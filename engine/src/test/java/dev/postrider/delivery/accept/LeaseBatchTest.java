package dev.postrider.delivery.accept;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deliveries that are leased at insert have no row; one row leases all of a commit. */
class LeaseBatchTest extends EngineBehaviour {
  private final CountDownLatch goOn = new CountDownLatch(1);

  private Receiver.Answer later() throws InterruptedException {
    goOn.await(60, TimeUnit.SECONDS);
    return Receiver.Answer.of(204);
  }

  @ParameterizedTest
  @EnumSource
  void theRowIsDeletedAfterItsLastDelivery(Databases.Kind kind) {
    receiver.behave(request -> request.path().equals("/slow") ? later() : Receiver.Answer.of(204));
    // No reconciling meanwhile: memory alone knows when the row may go.
    TestEngine engine = start(kind, "HEARTBEAT=100ms", "DEAD_AFTER=10m");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    Endpoint slow = engines.endpoint(engine, application, receiver.url("/slow"));

    Engines.send(engine, application, "{}");
    receiver.await(2);
    await("one is over", () -> delivered(engine) == 1);
    assertThat(Engines.count(engine, "lease_batches")).as("the other's lease").isEqualTo(1);
    assertThat(
            new LaneReader(engine.database()).onTheWay(slow.applicationId(), slow.id()).sending())
        .isEqualTo(1);

    goOn.countDown();
    await("both are over", () -> delivered(engine) == 2);
    await("no row is left", () -> Engines.count(engine, "lease_batches") == 0);
    assertThat(receiver.requests()).hasSize(2);
  }

  /** Not by the rescuer, which comes later and would have many to delete at once. */
  @ParameterizedTest
  @EnumSource
  void theRowIsDeletedWithTheNextFinish(Databases.Kind kind) {
    TestEngine engine = start(kind, "HEARTBEAT=1m", "DEAD_AFTER=10m");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    for (int sent = 1; sent <= 5; sent++) {
      Engines.send(engine, application, "{}");
      int all = sent;
      await("delivered", () -> delivered(engine) == all);
    }
    assertThat(Engines.count(engine, "lease_batches")).as("of the last message").isEqualTo(1);
  }

  /** As after a commit whose answer was lost: the row is there, and memory knows nothing of it. */
  @ParameterizedTest
  @EnumSource
  void aRowNotCountedInMemoryIsDeletedToo(Databases.Kind kind) {
    receiver.behave(request -> later());
    TestEngine engine = start(kind, "HEARTBEAT=100ms", "DEAD_AFTER=1s");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    receiver.await(1);
    // Nothing that memory counts deletes its copy.
    String other =
        switch (kind) {
          case SQLITE -> "x'00000000000000000000000000000009'";
          case POSTGRES -> "'00000000-0000-0000-0000-000000000009'";
        };
    assertThat(
            Engines.sql(
                engine,
                "INSERT INTO lease_batches (instance_id, id, lease_until, items) SELECT"
                    + " instance_id, "
                    + other
                    + ", lease_until, items FROM lease_batches"))
        .isEqualTo(1);

    goOn.countDown();
    await("over", () -> delivered(engine) == 1);
    await("swept", () -> Engines.count(engine, "lease_batches") == 0);
    assertThat(receiver.requests()).as("and nothing was sent twice").hasSize(1);
  }

  @Test
  void leasesTakenAtInsertAreRescued() {
    receiver.behave(
        request ->
            request.header("postrider-attempt").equals("1") ? later() : Receiver.Answer.of(204));
    TestEngine doomed = start(Databases.Kind.POSTGRES, "HEARTBEAT=100ms", "DEAD_AFTER=1s");
    Application application = engines.application(doomed, "acme");
    for (int i = 0; i < 5; i++) {
      engines.endpoint(doomed, application, receiver.url("/" + i));
    }
    Engines.send(doomed, application, "{}");
    receiver.await(5);
    assertThat(Engines.count(doomed, "lease_batches")).isEqualTo(1);
    TestEngine other = engines.start("HEARTBEAT=100ms", "DEAD_AFTER=1s");
    engines.forget(doomed);
    doomed.halt();

    await("all delivered", () -> delivered(other) == 5);
    await("no row is left", () -> Engines.count(other, "lease_batches") == 0);
    assertThat(Engines.attempts(other, OutcomeClass.UNKNOWN))
        .as("what became of the first tries is unknown")
        .isEqualTo(5);
  }

  /** The point of it: a delivery that succeeds at once is its attempt, and nothing is updated. */
  @ParameterizedTest
  @EnumSource
  void aSuccessWritesOnlyItsAttempt(Databases.Kind kind) {
    TestEngine engine = start(kind, "HEARTBEAT=100ms");
    Application application = engines.application(engine, "acme");
    for (int i = 0; i < 10; i++) {
      engines.endpoint(engine, application, receiver.url("/" + i));
    }
    for (int sent = 1; sent <= 5; sent++) {
      Engines.send(engine, application, "{}");
      int all = sent * 10;
      await("delivered", () -> delivered(engine) == all);
    }
    assertThat(Engines.count(engine, "deliveries")).as("rows").isZero();
    assertThat(Engines.attempts(engine, OutcomeClass.SUCCESS)).isEqualTo(50);
    await("no lease batch is left", () -> Engines.count(engine, "lease_batches") == 0);
  }

  /** A failure writes the row that a retry needs, with the attempt. */
  @ParameterizedTest
  @EnumSource
  void aFailureWritesARow(Databases.Kind kind) {
    receiver.behave(
        request -> Receiver.Answer.of(request.header("postrider-attempt").equals("1") ? 500 : 204));
    TestEngine engine = start(kind, "HEARTBEAT=100ms", "RETRY_SCHEDULE=100ms");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    Engines.send(engine, application, "{}");
    await("delivered", () -> delivered(engine) == 1);
    assertThat(Engines.count(engine, "deliveries")).as("rows").isEqualTo(1);
    assertThat(Engines.attempts(engine, OutcomeClass.HTTP)).isEqualTo(1);
    assertThat(Engines.attempts(engine, OutcomeClass.SUCCESS)).isEqualTo(1);
    await("no lease batch is left", () -> Engines.count(engine, "lease_batches") == 0);
  }

  private static long delivered(TestEngine engine) {
    return Engines.count(engine, DELIVERED);
  }
}
