package dev.postrider.testkit;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.id.Id;
import dev.postrider.tenant.Application;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the tests of the engine's behaviour share: a receiver, engines on a database, and an end to
 * all of it.
 */
public abstract class EngineBehaviour {
  @TempDir protected Path folder;
  protected final Signals signals = new Signals();
  protected final Receiver receiver = new Receiver(signals);

  /** Opened at the end of each test, so that no request is held for ever. */
  protected final CountDownLatch theEnd = new CountDownLatch(1);

  protected Engines engines;

  @AfterEach
  protected void stopAll() {
    theEnd.countDown();
    if (engines != null) {
      engines.close();
    }
    receiver.close();
  }

  protected TestEngine start(Databases.Kind kind, String... settings) {
    engines = new Engines(kind, folder, signals);
    return engines.start(settings);
  }

  /** Holds a request until the test is over. */
  protected Receiver.Answer hang() throws InterruptedException {
    theEnd.await(30, TimeUnit.SECONDS);
    return Receiver.Answer.of(200);
  }

  protected static void sendMany(TestEngine engine, Application application, int count) {
    engine
        .acceptor()
        .acceptAll(
            IntStream.range(0, count)
                .mapToObj(n -> Engines.message(application, "{\"n\":" + n + "}"))
                .toList());
  }

  protected static Engines.Row delivery(TestEngine engine, Id messageId, Endpoint endpoint) {
    return Engines.deliveries(engine).stream()
        .filter(
            row -> row.messageId().equals(messageId) && row.laneId().equals(endpoint.id().value()))
        .findFirst()
        .orElseThrow();
  }

  protected static List<Engines.Row> deliveriesTo(TestEngine engine, Endpoint endpoint) {
    return Engines.deliveries(engine).stream()
        .filter(row -> row.laneId().equals(endpoint.id().value()))
        .toList();
  }

  /** Waits until the condition holds; fails after 60 s. */
  protected void await(String what, BooleanSupplier condition) {
    signals.await(what, condition);
  }

  protected void untilAllAre(TestEngine engine, DeliveryStatus status) {
    await("all deliveries are " + status, () -> Engines.countNot(engine, status) == 0);
  }

  protected static List<Integer> numbers(List<Receiver.Request> requests) {
    List<Integer> numbers = new ArrayList<>();
    for (Receiver.Request request : requests) {
      numbers.add(Integer.parseInt(request.text().replaceAll("[^0-9]", "")));
    }
    return numbers;
  }
}
