package dev.postrider.engine.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine end to end: accepted, delivered, recorded, on both databases. */
class EngineRuntimeTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private Engines engines;

  @AfterEach
  void stop() {
    engines.close();
    receiver.close();
  }

  @ParameterizedTest
  @EnumSource
  void deliversAMessageOnce(Databases.Kind kind) {
    engines = new Engines(kind, folder);
    TestEngine engine = engines.start();
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/hook"));

    Id message = Engines.send(engine, application, "{\"n\":1}");

    Receiver.Request request = receiver.await(1).getFirst();
    assertThat(request.text()).isEqualTo("{\"n\":1}");
    assertThat(request.header("webhook-id")).isEqualTo(message.text(IdKind.MESSAGE));
    assertThat(request.header("postrider-attempt")).isEqualTo("1");
    assertThat(request.header("webhook-signature")).startsWith("v1,");
    engines.await("recorded", () -> Engines.attempts(engine) == 1);
    Engines.Row row = Engines.deliveries(engine).getFirst();
    assertThat(row.status()).isEqualTo(DeliveryStatus.DELIVERED);
    assertThat(row.attempts()).isEqualTo(1);
    engines.await(
        "nothing is held any more",
        () -> engine.lanes().room().leased() == 0 && engine.lanes().table().leases() == 0);
  }

  @ParameterizedTest
  @EnumSource
  void retriesOnTheScheduleAndThenGivesUp(Databases.Kind kind) {
    engines = new Engines(kind, folder);
    receiver.behave(request -> Receiver.Answer.of(500));
    TestEngine engine = engines.start("RETRY_SCHEDULE=0s,0s");
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/hook"));

    Engines.send(engine, application, "{}");

    receiver.await(3);
    engines.await(
        "dead letter",
        () -> Engines.deliveries(engine).getFirst().status() == DeliveryStatus.DEAD_LETTER);
    assertThat(Engines.deliveries(engine).getFirst().reason()).isEqualTo("exhausted");
    assertThat(Engines.attempts(engine)).isEqualTo(3);
    assertThat(receiver.requests())
        .extracting(r -> r.header("postrider-attempt"))
        .containsExactly("1", "2", "3");
    assertThat(receiver.requests())
        .extracting(r -> r.header("postrider-delivery-id"))
        .containsOnly(receiver.requests().getFirst().header("postrider-delivery-id"));
  }

  @ParameterizedTest
  @EnumSource
  void acceptsManyAtOnceAndDeliversEachOnce(Databases.Kind kind) throws Exception {
    engines = new Engines(kind, folder);
    TestEngine engine = engines.start();
    Application application = engines.application(engine, "acme");
    engines.endpoint(engine, application, receiver.url("/a"));
    engines.endpoint(engine, application, receiver.url("/b"));

    int messages = 300;
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Id>> sent =
          IntStream.range(0, messages)
              .mapToObj(
                  n -> callers.submit(() -> Engines.send(engine, application, "{\"n\":" + n + "}")))
              .toList();
      for (Future<Id> one : sent) {
        one.get();
      }
    }

    receiver.await(2 * messages);
    engines.await("recorded", () -> Engines.attempts(engine) == 2 * messages);
    assertThat(Engines.deliveries(engine))
        .hasSize(2 * messages)
        .allMatch(row -> row.status() == DeliveryStatus.DELIVERED);
    assertThat(receiver.requests())
        .extracting(r -> r.path() + r.text())
        .doesNotHaveDuplicates()
        .hasSize(2 * messages);
  }
}
