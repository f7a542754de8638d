package dev.postrider.storage;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures for docs/guides/operating.md what a message takes on the disk: 500 bytes, an idempotency
 * key, one endpoint, delivered at the first try; over 50 applications. Only with {@code
 * -Dsizing=true}.
 */
@EnabledIfSystemProperty(named = "sizing", matches = "true")
class BytesPerMessageTest {
  private static final int MESSAGES = 20_000;
  private static final int CALLERS = 16;
  private static final int PAYLOAD_BYTES = 500;

  /** So many that each lane is free when a message for it comes. */
  private static final int APPLICATIONS = 50;

  private static final String POSTGRES_SIZES =
      """
      SELECT regexp_replace(t.relname, '_[0-9]{8}$', '') AS name, sum(pg_relation_size(t.oid)) AS heap,
        sum(pg_indexes_size(t.oid)) AS indexes
      FROM pg_class t WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace GROUP BY 1
      """;

  private static final String SQLITE_SIZES =
      """
      SELECT m.tbl_name AS name, sum(CASE m.type WHEN 'table' THEN s.pgsize ELSE 0 END) AS heap,
        sum(CASE m.type WHEN 'index' THEN s.pgsize ELSE 0 END) AS indexes
      FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY m.tbl_name
      """;

  private record Size(long table, long indexes) {}

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void ofADeliveredMessage(Databases.Kind kind) throws Exception {
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(kind, folder)) {
      TestEngine engine = engines.start();
      List<Application> applications = new ArrayList<>();
      for (int i = 0; i < APPLICATIONS; i++) {
        applications.add(engines.application(engine, "acme" + i));
        engines.endpoint(engine, applications.get(i), receiver.url("/sized"));
      }
      Map<String, Size> before = sizes(engine, kind);
      send(engine, applications);
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      while (delivered(engine) < MESSAGES && System.nanoTime() < end) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100)); // longer than Signals waits
      }
      assertThat(delivered(engine)).isEqualTo(MESSAGES);
      report(kind, before, sizes(engine, kind));
    }
  }

  private static long delivered(TestEngine engine) {
    return Engines.count(engine, DELIVERED);
  }

  private static void send(TestEngine engine, List<Application> applications)
      throws InterruptedException {
    try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
      for (int i = 0; i < MESSAGES; i++) {
        NewMessage message = message(applications.get(i % APPLICATIONS), i);
        callers.execute(
            () ->
                assertThat(engine.acceptor().accept(message))
                    .isInstanceOf(AcceptResult.Accepted.class));
      }
      callers.shutdown();
      assertThat(callers.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
    }
  }

  private static NewMessage message(Application application, int number) {
    SplittableRandom random = new SplittableRandom(number);
    byte[] payload = new byte[PAYLOAD_BYTES];
    for (int i = 0; i < payload.length; i++) {
      payload[i] = (byte) random.nextInt('a', 'z' + 1);
    }
    payload[0] = '"';
    payload[PAYLOAD_BYTES - 1] = '"';
    return aMessage(application)
        .payload(payload)
        .key(new Id(random.nextLong(), random.nextLong()), new Id(number, number))
        .build();
  }

  private static Map<String, Size> sizes(TestEngine engine, Databases.Kind kind) {
    return engine
        .database()
        .read(
            handle -> {
              Map<String, Size> sizes = new TreeMap<>();
              handle
                  .createQuery(kind == Databases.Kind.SQLITE ? SQLITE_SIZES : POSTGRES_SIZES)
                  .map(
                      (row, _) ->
                          sizes.put(
                              row.getString("name"),
                              new Size(row.getLong("heap"), row.getLong("indexes"))))
                  .list();
              return sizes;
            });
  }

  private static void report(
      Databases.Kind kind, Map<String, Size> before, Map<String, Size> after) {
    long sum = 0;
    for (Map.Entry<String, Size> entry : after.entrySet()) {
      Size old = before.getOrDefault(entry.getKey(), new Size(0, 0));
      long table = (entry.getValue().table() - old.table()) / MESSAGES;
      long indexes = (entry.getValue().indexes() - old.indexes()) / MESSAGES;
      sum += table + indexes;
      if (table + indexes > 0) {
        System.out.printf(
            "%s %s: %d bytes of rows, %d of indexes%n", kind, entry.getKey(), table, indexes);
      }
    }
    System.out.printf("%s: %d bytes per message%n", kind, sum);
    for (int aDay : new int[] {1_000, 50_000, 500_000}) {
      System.out.printf("%s: %.2f GB a month at %d a day%n", kind, sum * 30.0 * aDay / 1e9, aDay);
    }
    assertThat(sum).isGreaterThan(PAYLOAD_BYTES);
  }
}
