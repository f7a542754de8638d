package dev.postrider.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.message.AcceptResult;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SQLite without room: the file may not grow, as on a full disk. */
@Timeout(120)
class FullDiskTest {
  @TempDir Path folder;

  private static void mayGrow(SqliteDatabase database, boolean may) {
    database.writeRaw(
        connection -> {
          try (var statement = connection.createStatement();
              var row =
                  statement.executeQuery(
                      "PRAGMA max_page_count = "
                          + (may ? 1_000_000 : 1))) { // never below what is there
            return row.next();
          }
        });
  }

  @Test
  void acceptsAreRefusedOutcomesAreKeptAndAllRecovers() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      receiver.behave(
          request -> {
            sent.countDown();
            answer.await(30, TimeUnit.SECONDS);
            return new Receiver.Answer(200, java.util.Map.of(), "x".repeat(9_000));
          });
      TestEngine engine = engines.start();
      SqliteDatabase database = (SqliteDatabase) engine.database();
      Application acme = engines.application(engine, "acme");
      engines.endpoint(engine, acme, receiver.url("/hook"));
      for (int i = 0; i < 15; i++) { // a lane of which nothing is known has 16 tries at once
        Engines.send(engine, acme, "{\"n\":" + i + "}");
      }
      receiver.await(15);
      mayGrow(database, false);

      String big = "\"" + "y".repeat(200_000) + "\"";
      long began = System.nanoTime();
      for (int i = 0; i < 3; i++) {
        assertThat(engine.acceptor().accept(Engines.message(acme, big)))
            .isInstanceOfSatisfying(
                AcceptResult.Refused.class,
                refused -> assertThat(refused.why()).contains("disk is full"));
      }
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began))
          .as("refused at once")
          .isLessThan(3);
      answer.countDown();
      engines.await("the tries are over", () -> engine.lanes().room().inFlight() == 0);
      assertThat(engine.lanes().room().leased()).as("outcomes wait for room").isPositive();
      assertThat(Engines.count(engine, "messages")).isEqualTo(15);

      mayGrow(database, true);
      engines.await(
          "all recorded",
          () ->
              Engines.deliveries(engine).stream()
                  .allMatch(row -> row.status() == DeliveryStatus.DELIVERED));
      Engines.send(engine, acme, big);
      receiver.await(16);
      assertThat(receiver.requests()).as("no outcome was lost, nothing was sent twice").hasSize(16);
      engines.await("no place is held", () -> engine.lanes().room().leased() == 0);
    }
  }

  @Test
  void aSecondEngineOnTheSameFolderIsRefused() {
    try (Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      engines.start();
      assertThatThrownBy(() -> engines.start())
          .hasMessageContaining("in use by another Postrider")
          .hasMessageContaining("set another path");
    }
    try (Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      assertThat(engines.start().healthy()).isTrue();
    }
  }
}
