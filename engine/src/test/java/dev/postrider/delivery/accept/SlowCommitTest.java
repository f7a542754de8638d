package dev.postrider.delivery.accept;

import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.SUBSCRIPTIONS;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.id.QueueId;
import dev.postrider.id.TaskId;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueFields;
import dev.postrider.queue.QueueHistoryStore;
import dev.postrider.task.TaskKind;
import dev.postrider.task.TaskStatus;
import dev.postrider.task.TaskWorks;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers that must not miss, while an older message is committed after a younger one (engine rule
 * 9). Its commit is held up by an ordered endpoint's lane, which another transaction has locked.
 */
@Timeout(120)
class SlowCommitTest extends EngineBehaviour {
  private static final Duration HELD = Duration.ofSeconds(60);

  private final CountDownLatch locked = new CountDownLatch(1);
  private final CountDownLatch unlock = new CountDownLatch(1);
  private TestEngine stuck;
  private TestEngine other;
  private Application acme;
  private Endpoint all;
  private CompletableFuture<Boolean> holding;
  private CompletableFuture<Id> older;
  private Id younger;

  /** Before the engines are closed, which would wait for it. */
  @AfterEach
  void letGo() {
    unlock.countDown();
  }

  private void begin() throws Exception {
    stuck = start(Databases.Kind.POSTGRES);
    other = engines.start();
    acme = engines.application(stuck, "acme");
    // Paused, so that its deliveries wait in rows, as those of a queue do.
    all = engines.endpoint(stuck, acme, EndpointSpec.of(receiver.url("/all")).with(PAUSED, true));
    Endpoint ordered =
        engines.endpoint(
            stuck,
            acme,
            EndpointSpec.of(receiver.url("/ordered"))
                .with(ORDERED, true)
                .with(SUBSCRIPTIONS, List.of("slow.one")));
    holding =
        CompletableFuture.supplyAsync(
            () ->
                other
                    .database()
                    .write(
                        handle -> {
                          handle
                              .createQuery("SELECT id FROM lanes WHERE id = :id FOR UPDATE")
                              .bind("id", ordered.id())
                              .mapTo(Id.class)
                              .one();
                          locked.countDown();
                          return unlock.await(HELD.toSeconds(), TimeUnit.SECONDS);
                        }),
            Thread::startVirtualThread);
    assertThat(locked.await(30, TimeUnit.SECONDS)).isTrue();
    older =
        CompletableFuture.supplyAsync(() -> send(stuck, "slow.one"), Thread::startVirtualThread);
    await("has its id", () -> stuck.horizon().local().epochMs() < other.time().nowMs() - 500);
    younger = send(other, "quick.one");
  }

  private Id send(TestEngine engine, String type) {
    return Engines.send(engine, aMessage(acme).type(type).build());
  }

  private void end() throws Exception {
    unlock.countDown();
    assertThat(holding.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(older.get(30, TimeUnit.SECONDS)).isLessThan(younger);
  }

  @Test
  void aPollerWaitsForIt() throws Exception {
    begin();
    QueueHistoryStore log = new QueueHistoryStore(other.database(), other.horizon(), other.time());
    Queue queue = asQueue();
    untilTheClockAloneWouldLetItPass();
    assertThat(log.after(queue, Id.ZERO, null, 10)).isEmpty();
    end();
    await("both", () -> log.after(queue, Id.ZERO, null, 10).size() == 2);
    assertThat(log.after(queue, Id.ZERO, null, 10))
        .extracting(QueueHistoryStore.Entry::messageId)
        .containsExactly(new MessageId(older.get()), new MessageId(younger));
  }

  @Test
  void aReplayWaitsForIt() throws Exception {
    begin();
    Endpoint late =
        engines.endpoint(
            other,
            acme,
            EndpointSpec.of(receiver.url("/late"))
                .with(SUBSCRIPTIONS, List.of("slow.one", "quick.one")));
    Id task =
        other
            .tasks()
            .start(
                acme.environmentId(),
                acme.id(),
                TaskKind.REPLAY_MISSING,
                TaskWorks.window(
                    new EndpointId(late.id().value()),
                    Instant.ofEpochMilli(younger.epochMs() - 60_000),
                    Instant.ofEpochMilli(other.time().nowMs())))
            .id()
            .value();
    await("begun", () -> status(task) == TaskStatus.RUNNING);
    untilTheClockAloneWouldLetItPass();
    assertThat(status(task)).isEqualTo(TaskStatus.RUNNING);
    assertThat(receiver.requests(request -> request.path().equals("/late"))).isEmpty();
    end();
    receiver.await(2, request -> request.path().equals("/late"));
    await("over", () -> status(task) == TaskStatus.FINISHED);
  }

  private void untilTheClockAloneWouldLetItPass() {
    await("time", () -> other.time().nowMs() - younger.epochMs() > 3_000);
  }

  private TaskStatus status(Id task) {
    return other.tasks().store().find(acme.environmentId(), new TaskId(task)).status();
  }

  /** An endpoint's deliveries, read as those of a queue. */
  private Queue asQueue() {
    return new Queue(
        new QueueId(all.id().value()),
        acme.id(),
        Queue.Spec.of("all").with(QueueFields.MAX_ATTEMPTS, 1),
        Instant.EPOCH,
        Instant.EPOCH);
  }
}
