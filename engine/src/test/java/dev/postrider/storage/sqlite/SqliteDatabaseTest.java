package dev.postrider.storage.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.DiskFull;
import dev.postrider.storage.StorageException;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SqliteDatabaseTest {
  @TempDir Path folder;
  private SqliteDatabase database;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    database.write(handle -> handle.execute("CREATE TABLE t (n integer PRIMARY KEY, b blob)"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private long number(String sql) {
    return database.read(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }

  @Test
  void aNewFileCanBeVacuumedStepByStep() {
    assertThat(number("PRAGMA auto_vacuum")).isEqualTo(2);
    assertThat(
            database.<String>read(
                handle -> handle.createQuery("PRAGMA journal_mode").mapTo(String.class).one()))
        .isEqualTo("wal");
  }

  @Test
  void aSecondUserOfTheFolderIsRefusedUntilTheFirstIsGone() {
    assertThatThrownBy(() -> Databases.sqlite(folder))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("in use by another")
        .hasMessageContaining("path");
    database.close();
    database = Databases.sqlite(folder);
    assertThat(number("SELECT count(*) FROM t")).isZero();
  }

  // ---- a full disk ----

  /** Work that fails alone, whatever shares its transaction. */
  @Test
  void workThatFindsTheDiskFullFailsAloneAndTheRestIsCommitted() throws Exception {
    fill();
    CountDownLatch holding = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> first =
          callers.submit(
              () ->
                  database.writeRaw(
                      connection -> {
                        holding.countDown();
                        return goOn.await(20, TimeUnit.SECONDS);
                      }));
      holding.await();
      List<Future<@Nullable String>> waiting = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        int n = i;
        waiting.add(
            callers.submit(
                () ->
                    failure(
                        n == 4
                            ? "INSERT INTO t VALUES (104, randomblob(1000000))"
                            : "UPDATE t SET n = n + 1000 WHERE n = " + n)));
        // In this order, so that the one that fails has neighbours before and after it.
        Signals.poll("queued", () -> database.waiting() == n + 1);
      }
      goOn.countDown();
      first.get();
      for (int i = 0; i < 9; i++) {
        assertThat(waiting.get(i).get())
            .as("number %d", i)
            .isEqualTo(i == 4 ? DiskFull.class.getSimpleName() : "");
      }
    }
    assertThat(number("SELECT count(*) FROM t WHERE n >= 1000 AND n < 1010")).isEqualTo(8);
    assertThat(number("SELECT count(*) FROM t WHERE n = 104")).isZero();
    unfill();
    assertThat(failure("INSERT INTO t VALUES (104, randomblob(1000000))"))
        .as("heals by itself")
        .isEmpty();
  }

  private void fill() {
    database.write(
        handle -> {
          for (int i = 0; i < 50; i++) {
            handle.execute("INSERT INTO t VALUES (" + i + ", zeroblob(10))");
          }
          return 0;
        });
    long pages = number("PRAGMA page_count");
    database.writeRaw(
        connection -> {
          try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA cache_spill = 0");
            return statement.execute("PRAGMA max_page_count = " + (pages + 4));
          }
        });
  }

  private void unfill() {
    database.writeRaw(
        connection -> {
          try (var statement = connection.createStatement()) {
            return statement.execute("PRAGMA max_page_count = 1000000");
          }
        });
  }

  /** The name of what was thrown; empty if nothing was. */
  private @Nullable String failure(String sql) {
    try {
      database.write(handle -> handle.execute(sql));
      return "";
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Test
  void aPieceThatThrowsUndoesOnlyItself() throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<@Nullable String>> all = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        int n = i;
        all.add(callers.submit(() -> failure("INSERT INTO t VALUES (" + n / 2 + ", NULL)")));
      }
      int failed = 0;
      for (Future<@Nullable String> one : all) {
        failed += "StorageException".equals(one.get()) ? 1 : 0;
      }
      assertThat(failed).as("each number fits once").isEqualTo(150);
    }
    assertThat(number("SELECT count(*) FROM t")).isEqualTo(150);
  }

  /** Every third piece is a hot one, without a savepoint. */
  @Test
  void aHotPieceThatThrowsUndoesOnlyItself() throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<@Nullable String>> all = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        String sql = "INSERT INTO t VALUES (" + i / 2 + ", NULL)";
        boolean hot = i % 3 == 0;
        all.add(callers.submit(() -> hot ? hotFailure(sql) : failure(sql)));
      }
      int failed = 0;
      for (Future<@Nullable String> one : all) {
        failed += "StorageException".equals(one.get()) ? 1 : 0;
      }
      assertThat(failed).as("each number fits once").isEqualTo(150);
    }
    assertThat(number("SELECT count(*) FROM t")).isEqualTo(150);
  }

  private @Nullable String hotFailure(String sql) {
    try {
      database.writeHot(
          connection -> {
            try (var statement = connection.createStatement()) {
              return statement.execute(sql);
            }
          });
      return "";
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  // ---- closing ----

  @Test
  void everyWriterIsAnsweredWhileTheDatabaseCloses() throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<@Nullable String>> all = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        int n = i;
        all.add(callers.submit(() -> failure("INSERT INTO t VALUES (" + n + ", NULL)")));
      }
      database.close();
      for (Future<@Nullable String> one : all) {
        assertThat(one.get(60, TimeUnit.SECONDS))
            .isIn("", DatabaseUnavailable.class.getSimpleName());
      }
    }
  }

  // ---- readers ----

  @Test
  void aReadThatTakesTooLongIsInterruptedAndTheReaderContinues() {
    String endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    long began = System.nanoTime();
    for (int i = 0; i < 2 * SqliteDatabase.READERS; i++) {
      boolean snapshot = i % 2 == 0;
      assertThatThrownBy(
              () -> {
                if (snapshot) {
                  database.snapshot(handle -> handle.createQuery(endless).mapTo(Long.class).one());
                } else {
                  number(endless);
                }
              })
          .isInstanceOf(DatabaseUnavailable.class);
    }
    assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began)).isLessThan(30);
    for (int i = 0; i < 3 * SqliteDatabase.READERS; i++) {
      assertThat(
              database.<Long>snapshot(
                  handle -> handle.createQuery("SELECT count(*) FROM t").mapTo(Long.class).one()))
          .isZero();
    }
  }

  /** Each statement outside a transaction has the limit for itself. */
  @Test
  void manyShortReadsInARowAreNotInterrupted() {
    String some =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200000) SELECT"
            + " count(*) FROM c";
    int reads =
        database.read(
            handle -> {
              int count = 0;
              long until =
                  System.nanoTime()
                      + TimeUnit.MILLISECONDS.toNanos(2 * SqliteDatabase.READ_LIMIT_MS);
              while (System.nanoTime() < until) {
                handle.createQuery(some).mapTo(Long.class).one();
                count++;
              }
              return count;
            });
    assertThat(reads).isGreaterThan(3);
  }

  // ---- the log ----

  private long logBytes() throws IOException {
    return Files.size(database.file().resolveSibling(database.file().getFileName() + "-wal"));
  }

  @Test
  void aCheckpointEmptiesTheLogDuringReadsAndWrites() throws Exception {
    database.write(handle -> handle.execute("INSERT INTO t VALUES (1, randomblob(3000000))"));
    assertThat(logBytes()).isGreaterThan(2_900_000);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(
            () ->
                database.snapshot(
                    handle -> {
                      handle.createQuery("SELECT count(*) FROM t").mapTo(Long.class).one();
                      reading.countDown();
                      return goOn.await(20, TimeUnit.SECONDS);
                    }));
    reading.await();
    assertThat(database.checkpoint(SqliteDatabase.Checkpoint.PASSIVE)).isTrue();
    assertThat(database.checkpoint(SqliteDatabase.Checkpoint.TRUNCATE))
        .as("a reader is in the way of emptying")
        .isFalse();
    database.write(handle -> handle.execute("INSERT INTO t VALUES (2, randomblob(10))"));
    goOn.countDown();
    reader.get();
    assertThat(database.checkpoint(SqliteDatabase.Checkpoint.TRUNCATE)).isTrue();
    assertThat(logBytes()).isZero();
    assertThat(number("SELECT count(*) FROM t")).isEqualTo(2);
  }

  /** A list may take a second, and the writer would wait for it at each of many attempts. */
  @Test
  void aQuickRestartOfTheLogDoesNotWaitForReaders() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(
            () ->
                database.snapshot(
                    handle -> {
                      handle.createQuery("SELECT count(*) FROM t").mapTo(Long.class).one();
                      reading.countDown();
                      return goOn.await(20, TimeUnit.SECONDS);
                    }));
    reading.await();
    database.write(handle -> handle.execute("INSERT INTO t VALUES (1, randomblob(10))"));

    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < 10; i++) {
      long start = System.nanoTime();
      assertThat(database.checkpoint(SqliteDatabase.Checkpoint.QUICK_RESTART))
          .as("the reader is in the way")
          .isFalse();
      shortest = Math.min(shortest, System.nanoTime() - start);
    }
    assertThat(TimeUnit.NANOSECONDS.toMillis(shortest)).isLessThan(40);
    goOn.countDown();
    reader.get();
    assertThat(database.checkpoint(SqliteDatabase.Checkpoint.QUICK_RESTART)).isTrue();
  }
}
