package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Failed attempts are recorded over a PostgreSQL connection of their own (engine rule 14c). */
class FailedFinishTest extends EngineBehaviour {
  private static final int MESSAGES = 8;
  private static final int POOL = 4;
  private static final String NAME = "postrider-finish-lanes";

  /** Counts what was recorded, without a look into the database. */
  private static final class Recorded implements DeliveryListener {
    private final AtomicInteger delivered = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    @Override
    public void finished(Outcome outcome, Finish finish) {
      (finish.status() == DeliveryStatus.DELIVERED ? delivered : failed).incrementAndGet();
    }
  }

  private final Recorded recorded = new Recorded();
  private final CountDownLatch answer = new CountDownLatch(1);

  private TestEngine start() {
    return engines.start(
        recorded, "RETRY_SCHEDULE=1h", "BREAKER_FAILURES=1000", "DATABASE_POOL_SIZE=" + POOL);
  }

  /** Attempts that are answered only when the test says so: some with 200, the others with this. */
  private void sendAndHold(TestEngine engine, Application application, int status)
      throws Exception {
    receiver.behave(
        request -> {
          answer.await();
          return Receiver.Answer.of(request.path().equals("/bad") ? status : 200);
        });
    for (int i = 0; i < MESSAGES; i++) {
      Engines.send(engine, application, "{}");
    }
    receiver.await(2 * MESSAGES);
  }

  /** All connections of the pool, in the hands of others until the test is over. */
  private static final class Exhausted implements AutoCloseable {
    private final CountDownLatch held = new CountDownLatch(POOL);
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Thread> holders = new ArrayList<>();

    Exhausted(TestEngine engine) throws InterruptedException {
      for (int i = 0; i < POOL; i++) {
        holders.add(
            Thread.startVirtualThread(
                () ->
                    engine
                        .database()
                        .read(
                            _ -> {
                              held.countDown();
                              over.await();
                              return 0;
                            })));
      }
      assertThat(held.await(60, TimeUnit.SECONDS)).as("the pool is exhausted").isTrue();
    }

    @Override
    public void close() {
      over.countDown();
      for (Thread holder : holders) {
        try {
          holder.join();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  @Test
  void failuresAreRecordedWhileThePoolIsExhausted() throws Exception {
    engines = new Engines(Databases.Kind.POSTGRES, folder);
    TestEngine engine = start();
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/bad"));
    engines.endpoint(engine, application, receiver.url("/good"));
    sendAndHold(engine, application, 500);
    try (var _ = new Exhausted(engine)) {
      answer.countDown();
      await(
          "failures and successes are recorded",
          () -> recorded.failed.get() == MESSAGES && recorded.delivered.get() == MESSAGES);
    }
    assertThat(Engines.count(engine, FAILED)).isEqualTo(MESSAGES);
    assertThat(Engines.attempts(engine)).isEqualTo(2 * MESSAGES);
  }

  @Test
  void anEndpointThatAnswers410IsDisabledWhileThePoolIsExhausted() throws Exception {
    engines = new Engines(Databases.Kind.POSTGRES, folder);
    TestEngine engine = start();
    Application application = engines.application(engine, "acme");
    Endpoint bad = engines.endpoint(engine, application, receiver.url("/bad"));
    engines.endpoint(engine, application, receiver.url("/good"));
    sendAndHold(engine, application, 410);
    try (var _ = new Exhausted(engine);
        Connection own = ((PostgresDatabase) engine.database()).connect("test", 20_000);
        Statement statement = own.createStatement()) {
      answer.countDown();
      await("failures are recorded", () -> recorded.failed.get() == MESSAGES);
      try (ResultSet row =
          statement.executeQuery(
              "SELECT disabled FROM endpoints WHERE id = '" + bad.id().value().uuid() + "'")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getBoolean(1)).isTrue();
      }
    }
  }

  @Test
  void aLostConnectionIsReplaced() throws Exception {
    engines = Engines.alone(folder, signals);
    TestEngine engine = start();
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/bad"));
    receiver.behave(_ -> Receiver.Answer.of(500));
    Engines.send(engine, application, "{}");
    await("the first is recorded", () -> recorded.failed.get() == 1);
    long first = session(engine);
    assertThat(
            Engines.number(
                engine, "SELECT count(*) WHERE pg_terminate_backend(%d, 10000)".formatted(first)))
        .isOne();
    Engines.send(engine, application, "{}");
    await("the second is recorded", () -> recorded.failed.get() == 2);
    assertThat(session(engine)).isNotEqualTo(first);
    assertThat(Engines.attempts(engine)).isEqualTo(2);
  }

  /** The process of the connection at the server. */
  private static long session(TestEngine engine) {
    return Engines.number(
        engine,
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name"
            + " = '"
            + NAME
            + "'");
  }
}
