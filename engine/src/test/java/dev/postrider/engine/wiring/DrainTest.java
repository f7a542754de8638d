package dev.postrider.engine.wiring;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.endpoint.EndpointFields.MAX_IN_FLIGHT;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.message.AcceptResult;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing an engine under load (engine rule 37). */
class DrainTest extends EngineBehaviour {

  @ParameterizedTest
  @EnumSource
  void acceptedMessagesAreFinishedOrLeftPendingAndEveryCallerIsAnswered(Databases.Kind kind)
      throws Exception {
    receiver.behave(
        request -> {
          TimeUnit.MILLISECONDS.sleep(50); // so that attempts run when it stops
          return Receiver.Answer.of(200);
        });
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/"));
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/slow")).with(MAX_IN_FLIGHT, 2));
    ConcurrentLinkedQueue<AcceptResult> results = new ConcurrentLinkedQueue<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running =
          IntStream.range(0, 20)
              .<Future<?>>mapToObj(
                  n ->
                      callers.submit(
                          () -> {
                            AcceptResult result;
                            do {
                              result = engine.acceptor().accept(Engines.message(application, "{}"));
                              results.add(result);
                            } while (result instanceof AcceptResult.Accepted);
                          }))
              .toList();
      receiver.await(30);
      engines.stop(engine);
      for (Future<?> caller : running) {
        caller.get(60, TimeUnit.SECONDS);
      }
    }

    long accepted = results.stream().filter(AcceptResult.Accepted.class::isInstance).count();
    assertThat(results)
        .hasSizeGreaterThan((int) accepted)
        .allMatch(
            result ->
                result instanceof AcceptResult.Accepted || result instanceof AcceptResult.Refused);
    receiver.behave(request -> Receiver.Answer.of(200)); // what is left need not take so long
    TestEngine next = engines.start();
    assertThat(Engines.number(next, "SELECT count(*) FROM messages")).isEqualTo(accepted);
    assertThat(Engines.number(next, "SELECT count(*) FROM instances"))
        .as("only the new one")
        .isEqualTo(1);
    assertThat(Engines.attempts(next, OutcomeClass.UNKNOWN))
        .as("nothing had to be rescued")
        .isZero();
    receiver.await((int) (2 * accepted));
    untilAllAre(next, DELIVERED);
    assertThat(receiver.requests()).as("no duplicates").hasSize((int) (2 * accepted));
  }

  @ParameterizedTest
  @EnumSource
  void noDeliveryStaysLeasedAfterTheStop(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/")).with(THROTTLE_RATE, 5));
    sendMany(engine, application, 50);
    receiver.await(3);

    engines.stop(engine);

    try (Database database = engines.reopen()) {
      assertThat(
              database.<Long>read(
                  handle ->
                      handle
                          .createQuery(
                              StoredCodes.sql(
                                  "SELECT count(*) FROM deliveries WHERE status = {SENDING} OR"
                                      + " lease_until IS NOT NULL"))
                          .mapTo(Long.class)
                          .one()))
          .isZero();
      assertThat(
              database.<Long>read(
                  handle ->
                      handle.createQuery("SELECT count(*) FROM instances").mapTo(Long.class).one()))
          .isZero();
    }
  }
}
