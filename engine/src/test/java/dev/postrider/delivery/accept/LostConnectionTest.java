package dev.postrider.delivery.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.AcceptResult.Accepted;
import dev.postrider.message.AcceptResult.Refused;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The accepting connection is cut again and again under load, at whatever point of the commit it
 * happens to be.
 */
class LostConnectionTest {
  private static final int CALLERS = 16;
  private static final int EACH = 60;
  private static final int MIN_CUTS = 10;

  @TempDir Path folder;

  @Test
  @Timeout(120)
  void everyAcceptedMessageIsThereOnceAndDelivered() throws Exception {
    try (Receiver receiver = new Receiver();
        Engines engines = Engines.alone(folder, new Signals())) {
      TestEngine engine = engines.start("HEARTBEAT=500ms", "DEAD_AFTER=2s");
      Application acme = engines.application(engine, "acme");
      engines.endpoint(engine, acme, receiver.url("/hook"));
      ConcurrentLinkedQueue<Id> accepted = new ConcurrentLinkedQueue<>();
      AtomicInteger cuts = new AtomicInteger();
      AtomicBoolean done = new AtomicBoolean();
      try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<?> cutter = callers.submit(() -> cut(engine, done, cuts));
        List<Future<?>> sending = new ArrayList<>();
        for (int c = 0; c < CALLERS; c++) {
          int caller = c;
          sending.add(callers.submit(() -> send(engine, acme, caller, accepted, cuts)));
        }
        for (Future<?> one : sending) {
          one.get();
        }
        done.set(true);
        cutter.get();
      }
      assertThat(cuts.get()).isGreaterThanOrEqualTo(MIN_CUTS);

      Map<Id, Integer> stored = new HashMap<>();
      engine
          .database()
          .read(handle -> handle.createQuery("SELECT id FROM messages").mapTo(Id.class).list())
          .forEach(id -> stored.merge(id, 1, Integer::sum));
      assertThat(accepted).doesNotHaveDuplicates();
      assertThat(stored.keySet())
          .as("each caller repeated with its key until accepted")
          .containsExactlyInAnyOrderElementsOf(accepted);
      engines.await(
          "all delivered",
          () ->
              Engines.deliveries(engine).stream()
                  .allMatch(row -> row.status() == DeliveryStatus.DELIVERED));
      assertThat(Engines.deliveries(engine)).hasSameSizeAs(accepted);
      engines.await(
          "no place is held",
          () -> engine.lanes().room().leased() == 0 && engine.lanes().room().inFlight() == 0);
    }
  }

  private static void send(
      TestEngine engine,
      Application acme,
      int caller,
      ConcurrentLinkedQueue<Id> accepted,
      AtomicInteger cuts) {
    for (int n = 0; n < EACH || cuts.get() < MIN_CUTS; n++) {
      NewMessage message =
          AcceptRig.message(acme, caller * 1_000_000 + n, null, "{\"n\":" + n + "}");
      AcceptResult result = engine.acceptor().accept(message);
      while (result instanceof Refused) {
        LockSupport.parkNanos(1_000_000); // as a client pauses before it repeats
        result = engine.acceptor().accept(message);
      }
      accepted.add((((Accepted) result).messageId()).value());
    }
  }

  private static void cut(TestEngine engine, AtomicBoolean done, AtomicInteger cuts) {
    while (!done.get()) {
      int cut =
          engine
              .database()
              .read(
                  handle ->
                      handle
                          .createQuery(
                              "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE"
                                  + " datname = current_database() AND application_name ="
                                  + " 'postrider-accept' AND state = 'active'")
                          .mapTo(Integer.class)
                          .one());
      cuts.addAndGet(cut);
      LockSupport.parkNanos(cut == 0 ? 200_000 : 30_000_000); // accepts go on between cuts
    }
  }
}
