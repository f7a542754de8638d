package dev.postrider.storage;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** PostgreSQL cuts connections under load. */
class LostSessionsTest extends EngineBehaviour {

  @Test
  void everyAcceptedMessageIsDeliveredAlthoughConnectionsAreCut() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    receiver.behave(request -> Receiver.Answer.of(failures.incrementAndGet() % 7 == 0 ? 500 : 200));
    engines = Engines.alone(folder, signals);
    TestEngine engine =
        engines.start(
            "RETRY_SCHEDULE=10ms,10ms,10ms,10ms,10ms,10ms,10ms,10ms",
            "HEARTBEAT=200ms",
            "DEAD_AFTER=2s",
            "BREAKER_SPAN=1h");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/a"));
    engines.endpoint(
        engine,
        application,
        dev.postrider.endpoint.EndpointSpec.of(receiver.url("/b")).with(ORDERED, true));
    Set<Id> accepted = ConcurrentHashMap.newKeySet();
    AtomicBoolean stop = new AtomicBoolean();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running =
          IntStream.range(0, 8)
              .<Future<?>>mapToObj(
                  n ->
                      callers.submit(
                          () -> {
                            while (!stop.get() && accepted.size() < 150) {
                              if (engine.acceptor().accept(Engines.message(application, "{}"))
                                  instanceof AcceptResult.Accepted(_, MessageId message, _, _, _)) {
                                accepted.add(message.value());
                              }
                            }
                          }))
              .toList();
      for (int cut = 1; cut <= 5; cut++) {
        receiver.await(25 * cut);
        cutConnections(engine);
      }
      stop.set(true);
      for (Future<?> caller : running) {
        caller.get();
      }
    }

    await("everything has ended", () -> Engines.countNot(engine, DELIVERED) == 0);
    assertThat(Engines.number(engine, "SELECT count(*) FROM messages"))
        .as("nothing half-accepted: each id once")
        .isGreaterThanOrEqualTo(accepted.size());
    for (String path : List.of("/a", "/b")) {
      Set<String> got =
          receiver.requests(request -> request.path().equals(path)).stream()
              .map(request -> request.header("webhook-id"))
              .collect(Collectors.toSet());
      assertThat(got).containsAll(accepted.stream().map(id -> id.text(IdKind.MESSAGE)).toList());
    }
    await(
        "all places are free",
        () ->
            engine.lanes().room().inFlight() == 0
                && engine.lanes().room().leased() == 0
                && engine.lanes().room().atReceivers() == 0
                && engine.lanes().table().leases() == 0);
    assertThat(Engines.number(engine, "SELECT count(*) FROM deliveries WHERE attempts > 9"))
        .isZero();
    // One attempt per try that the receiver saw, unless the try's outcome was lost with a
    // connection: then it is "unknown".
    assertThat(Engines.attempts(engine)).isGreaterThanOrEqualTo(2L * accepted.size());
  }

  private static void cutConnections(TestEngine engine) throws Exception {
    PostgresDatabase database = (PostgresDatabase) engine.database();
    try (Connection connection = database.connect("cutter", 20_000);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
              + " current_database() AND application_name LIKE 'postrider%'");
    }
  }
}
