package dev.postrider.queue;

import static dev.postrider.delivery.DeliveryStatus.CANCELED;
import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.queue.QueueItem.Receipt;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pull queues from acceptance to acknowledgement. */
@Order(1)
class QueueTest extends EngineBehaviour {
  private static final Duration NO_WAIT = Duration.ZERO;

  private static QueueStore store(TestEngine engine) {
    return new QueueStore(engine.database(), engine.ids(), engine.time(), EventPublisher.NONE);
  }

  private static Queue queue(
      TestEngine engine, Application application, UnaryOperator<Queue.Spec> edit) {
    Queue.Spec plain = Queue.Spec.of("audit").with(QueueFields.MAX_ATTEMPTS, 3);
    return requireNonNull(
        store(engine).create(application, edit.apply(plain), "qk_0123456789abcdef"));
  }

  private static Queue.Spec with(Queue.Spec spec, List<String> types, String filter, long ms) {
    return spec.with(QueueFields.SUBSCRIPTIONS, types)
        .with(QueueFields.FILTER, filter)
        .with(QueueFields.VISIBILITY_TIMEOUT_MS, (int) ms);
  }

  private static List<String> texts(List<QueueItem> items) {
    return items.stream()
        .map(item -> new String(requireNonNull(item.payload()), StandardCharsets.UTF_8))
        .toList();
  }

  private static List<Receipt> receipts(List<QueueItem> items) {
    return items.stream().map(QueueItem::receipt).toList();
  }

  @ParameterizedTest
  @EnumSource
  void messagesAreReceivedOnceAndAcknowledged(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    sendMany(engine, application, 5);
    assertThat(engine.queues().depth(queue)).isEqualTo(new Queue.Depth(5, 0, 0, 0));
    List<QueueItem> first = engine.queues().receive(queue, 3, NO_WAIT, null);
    List<QueueItem> second = engine.queues().receive(queue, 10, NO_WAIT, null);
    assertThat(first).hasSize(3).allMatch(item -> item.attempt() == 1);
    assertThat(second).hasSize(2);
    Set<String> all = new HashSet<>(texts(first));
    all.addAll(texts(second));
    assertThat(all).hasSize(5);
    assertThat(engine.queues().receive(queue, 10, NO_WAIT, null)).isEmpty();
    assertThat(engine.queues().depth(queue)).isEqualTo(new Queue.Depth(0, 5, 0, 0));
    assertThat(engine.queues().ack(queue, receipts(first))).hasSize(3);
    assertThat(engine.queues().ack(queue, receipts(first))).as("only once").isEmpty();
    assertThat(engine.queues().depth(queue)).isEqualTo(new Queue.Depth(0, 2, 0, 0));
    assertThat(Engines.deliveries(engine).stream().filter(row -> row.status() == DELIVERED))
        .hasSize(3);
  }

  /** The process ended between the deletion and the cancelling. */
  @ParameterizedTest
  @EnumSource
  void anUnfinishedDeletionIsFinishedAfterTheStart(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    queue(engine, application, spec -> spec);
    Application kept = engines.application(engine, "kept");
    store(engine)
        .create(
            kept, Queue.Spec.of("audit").with(QueueFields.MAX_ATTEMPTS, 3), "qk_another0123456789");
    sendMany(engine, application, 5);
    sendMany(engine, kept, 2);
    assertThat(
            new ApplicationStore(
                    engine.database(), engine.ids(), engine.time(), EventPublisher.NONE)
                .delete(Environment.DEFAULT_ID, "acme"))
        .isTrue();
    engines.stop(engine);

    TestEngine next = engines.start();

    await(
        "canceled",
        () ->
            Engines.deliveries(next).stream()
                    .filter(row -> "queue_deleted".equals(row.reason()) && row.status() == CANCELED)
                    .count()
                == 5);
    assertThat(Engines.deliveries(next)).filteredOn(row -> row.status() == PENDING).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void anUnacknowledgedMessageIsReceivedAgainAndItsOldReceiptIsVoid(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> with(spec, List.of(), null, 1_000));
    Engines.send(engine, application, "{\"n\":1}");
    QueueItem lost = engine.queues().receive(queue, 1, NO_WAIT, Duration.ofMillis(100)).getFirst();
    QueueItem again = engine.queues().receive(queue, 1, Duration.ofSeconds(20), null).getFirst();
    assertThat(again.deliveryId()).isEqualTo(lost.deliveryId());
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(engine.queues().ack(queue, List.of(lost.receipt()))).isEmpty();
    assertThat(engine.queues().ack(queue, List.of(again.receipt()))).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aMessageReleasedTooOftenIsADeadLetterThatCanBeRedriven(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    Id message = Engines.send(engine, application, "{\"n\":1}");
    for (int n = 1; n <= 3; n++) {
      QueueItem item = engine.queues().receive(queue, 1, NO_WAIT, null).getFirst();
      assertThat(item.attempt()).isEqualTo(n);
      assertThat(engine.queues().nack(queue, List.of(item.receipt()), NO_WAIT)).hasSize(1);
    }
    assertThat(engine.queues().receive(queue, 1, NO_WAIT, null)).isEmpty();
    assertThat(engine.queues().depth(queue)).isEqualTo(new Queue.Depth(0, 0, 0, 1));
    Engines.Row dead = Engines.deliveries(engine).getFirst();
    assertThat(dead.messageId()).isEqualTo(message);
    assertThat(dead.status()).isEqualTo(DEAD_LETTER);
    assertThat(dead.reason()).isEqualTo("exhausted");
    assertThat(engine.queues().redrive(queue)).isEqualTo(1);
    QueueItem fresh = engine.queues().receive(queue, 1, NO_WAIT, null).getFirst();
    assertThat(fresh.attempt()).as("a fresh count").isEqualTo(1);
    assertThat(engine.queues().nack(queue, List.of(fresh.receipt()), Duration.ofHours(1)))
        .hasSize(1);
    assertThat(engine.queues().depth(queue)).isEqualTo(new Queue.Depth(0, 0, 1, 0));
  }

  @ParameterizedTest
  @EnumSource
  void aBatchIsInTheOrderInWhichItsMessagesAreDue(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    for (int n = 1; n <= 6; n++) {
      Engines.send(engine, application, "{\"n\":" + n + "}");
    }
    QueueItem first = engine.queues().receive(queue, 1, NO_WAIT, null).getFirst();
    engine.queues().nack(queue, List.of(first.receipt()), Duration.ofMillis(50));
    await("all are due again", () -> engine.queues().depth(queue).waiting() == 6);
    assertThat(texts(engine.queues().receive(queue, 10, NO_WAIT, null)))
        .containsExactly(
            "{\"n\":2}", "{\"n\":3}", "{\"n\":4}", "{\"n\":5}", "{\"n\":6}", "{\"n\":1}");
  }

  @ParameterizedTest
  @EnumSource
  void readersThatNeverAcknowledgeEndInADeadLetter(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    Engines.send(engine, application, "{}");
    for (int n = 0; n < 3; n++) {
      assertThat(engine.queues().receive(queue, 1, Duration.ofSeconds(20), Duration.ofMillis(20)))
          .hasSize(1);
    }
    await(
        "dead",
        () ->
            engine.queues().receive(queue, 1, NO_WAIT, null).isEmpty()
                && Engines.deliveries(engine).getFirst().status() == DEAD_LETTER);
  }

  @ParameterizedTest
  @EnumSource
  void aQueueGetsItsEventTypesThatPassItsFilter(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue =
        queue(
            engine,
            application,
            spec ->
                with(
                    spec, List.of("invoice.*"), "payload.n + 1 > 3 and source = \"acme\"", 30_000));
    Queue other =
        requireNonNull(
            store(engine)
                .create(
                    application,
                    Queue.Spec.of("other")
                        .with(QueueFields.SUBSCRIPTIONS, List.of("user.*"))
                        .with(QueueFields.MAX_ATTEMPTS, 3),
                    "qk_another-key-of-16"));
    engines.endpoint(engine, application, receiver.url("/"));
    sendMany(engine, application, 5);
    receiver.await(5);
    assertThat(texts(engine.queues().receive(queue, 10, NO_WAIT, null)))
        .containsExactlyInAnyOrder("{\"n\":3}", "{\"n\":4}");
    assertThat(engine.queues().receive(other, 10, NO_WAIT, null)).isEmpty();
    assertThat(
            Engines.deliveries(engine).stream()
                .filter(row -> "filtered".equals(row.reason()) && row.status() == CANCELED))
        .hasSize(3);
    Engines.send(engine, application, "{\"n\":\"text\"}");
    assertThat(engine.queues().receive(queue, 10, NO_WAIT, null)).isEmpty();
    assertThat(
            Engines.deliveries(engine).stream()
                .filter(row -> "expression".equals(row.reason()) && row.status() == DEAD_LETTER))
        .hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aWaitingReaderIsWokenByAMessage(Databases.Kind kind) throws Exception {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      CountDownLatch asked = new CountDownLatch(1);
      Future<List<QueueItem>> waiting =
          readers.submit(
              () -> {
                asked.countDown();
                return engine.queues().receive(queue, 10, Duration.ofSeconds(30), null);
              });
      asked.await();
      Engines.send(engine, application, "{\"n\":7}");
      assertThat(texts(waiting.get(60, TimeUnit.SECONDS))).containsExactly("{\"n\":7}");
    }
  }

  @ParameterizedTest
  @EnumSource
  void concurrentReadersShareWithoutOverlap(Databases.Kind kind) throws Exception {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    sendMany(engine, application, 60);
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<QueueItem>>> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        all.add(
            readers.submit(() -> engine.queues().receive(queue, 10, Duration.ofSeconds(5), null)));
      }
      Set<Id> seen = new HashSet<>();
      int count = 0;
      for (Future<List<QueueItem>> one : all) {
        for (QueueItem item : one.get(30, TimeUnit.SECONDS)) {
          seen.add(item.deliveryId().value());
          count++;
        }
      }
      assertThat(seen).as("no message twice").hasSize(count);
    }
  }

  private record Recorded(int number, int outcome, String url, String error) {}

  private static List<Recorded> attempts(TestEngine engine) {
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT number, outcome, url, coalesce(error, '') AS error FROM attempts"
                            + " ORDER BY number")
                    .map(
                        (row, _) ->
                            new Recorded(
                                row.getInt(1), row.getInt(2), row.getString(3), row.getString(4)))
                    .list());
  }

  @ParameterizedTest
  @EnumSource
  void everyReceiveRecordsAnAttempt(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    Engines.send(engine, application, "{\"n\":1}");
    QueueItem given = engine.queues().receive(queue, 1, NO_WAIT, null).getFirst();
    assertThat(attempts(engine)).as("not before it has ended").isEmpty();
    engine.queues().nack(queue, List.of(given.receipt()), NO_WAIT);
    QueueItem lost = engine.queues().receive(queue, 1, NO_WAIT, Duration.ofMillis(50)).getFirst();
    QueueItem taken = engine.queues().receive(queue, 1, Duration.ofSeconds(60), null).getFirst();
    assertThat(engine.queues().ack(queue, List.of(lost.receipt()))).isEmpty();
    engine.queues().ack(queue, List.of(taken.receipt()));
    assertThat(attempts(engine))
        .containsExactly(
            new Recorded(1, 7, "queue:audit", "returned by its consumer"),
            new Recorded(2, 2, "queue:audit", "not acknowledged in time"),
            new Recorded(3, 0, "queue:audit", ""));
  }

  @ParameterizedTest
  @EnumSource
  void filteredMessagesDoNotCountAsReceived(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue =
        queue(engine, application, spec -> with(spec, List.of(), "payload.n > 1", 30_000));
    sendMany(engine, application, 2);
    assertThat(engine.queues().receive(queue, 10, NO_WAIT, null)).isEmpty();
    assertThat(Engines.deliveries(engine)).allMatch(row -> row.attempts() == 0);
    assertThat(attempts(engine)).isEmpty();
  }

  /** Two instances, many readers, slow acknowledgements: nothing is with two readers at once. */
  @Test
  void twoInstancesNeverReturnAnInvisibleMessage() throws Exception {
    TestEngine first = start(Databases.Kind.POSTGRES);
    TestEngine second = engines.start();
    Application application = engines.application(first, "acme");
    Queue queue = queue(first, application, spec -> spec);
    int messages = 300;
    Set<Id> held = ConcurrentHashMap.newKeySet();
    Set<Id> twice = ConcurrentHashMap.newKeySet();
    Set<Id> ended = ConcurrentHashMap.newKeySet();
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        TestEngine engine = i % 2 == 0 ? first : second;
        boolean givesBack = i == 0;
        all.add(
            readers.submit(
                () -> {
                  while (ended.size() < messages) {
                    for (QueueItem item :
                        engine.queues().receive(queue, 7, Duration.ofMillis(200), null)) {
                      if (!held.add(item.deliveryId().value())) {
                        twice.add(item.deliveryId().value());
                      }
                      Thread.yield();
                      held.remove(item.deliveryId().value());
                      if (givesBack && item.attempt() == 1) {
                        engine.queues().nack(queue, List.of(item.receipt()), NO_WAIT);
                      } else if (engine.queues().ack(queue, List.of(item.receipt())).size() == 1) {
                        ended.add(item.deliveryId().value());
                      }
                    }
                  }
                }));
      }
      sendMany(first, application, messages);
      for (Future<?> one : all) {
        one.get(100, TimeUnit.SECONDS);
      }
    }
    assertThat(twice).as("with two readers at once").isEmpty();
    assertThat(Engines.deliveries(first))
        .hasSize(messages)
        .allMatch(row -> row.status() == DELIVERED);
    assertThat(Engines.attempts(first, OutcomeClass.SUCCESS)).isEqualTo(messages);
  }

  @ParameterizedTest
  @EnumSource
  void receivedMessagesSurviveARestart(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Queue queue = queue(engine, application, spec -> spec);
    Engines.send(engine, application, "{\"n\":1}");
    QueueItem item = engine.queues().receive(queue, 1, NO_WAIT, null).getFirst();
    engines.stop(engine);
    TestEngine next = engines.start();
    assertThat(next.queues().receive(queue, 1, NO_WAIT, null)).as("still invisible").isEmpty();
    assertThat(next.queues().ack(queue, List.of(item.receipt()))).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aDeletedQueueCancelsWhatItHolds(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    queue(engine, application, spec -> spec);
    sendMany(engine, application, 3);
    assertThat(store(engine).delete(application.id(), "audit")).isTrue();
    assertThat(Engines.deliveries(engine))
        .hasSize(3)
        .allMatch(row -> row.status() == CANCELED && row.reason().equals("queue_deleted"));
    sendMany(engine, application, 1);
    assertThat(Engines.deliveries(engine)).as("no new deliveries").hasSize(3);
  }
}
