package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.SqliteDatabase;
import dev.postrider.testkit.Engines;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CheckpointerTest {
  /** Twice what the log may hold. */
  private static final int COMMITS = 1_400;

  @TempDir Path folder;

  /** The writer writes without a pause; once it rests, its log has been copied and emptied. */
  @Test
  @Timeout(90)
  void theLogIsEmptiedBesideTheWriter() throws Exception {
    try (SqliteDatabase database =
        new SqliteDatabase(folder.resolve("test.db"), true, new SystemTime()::machineMs)) {
      database.start();
      database.write(handle -> handle.execute("CREATE TABLE t (n integer PRIMARY KEY, b blob)"));
      Checkpointer checkpointer = new Checkpointer(database);
      checkpointer.start();
      for (int i = 0; i < COMMITS; i++) {
        database.write(handle -> handle.execute("INSERT INTO t (b) VALUES (randomblob(64000))"));
      }
      assertThat(database.logBytes()).as("there was a log to empty").isPositive();
      Engines.until(
          "an idle log is small", () -> logBytes(database) < Checkpointer.EMPTY_FROM_BYTES);
      checkpointer.stop();
    }
  }

  /**
   * Turn by turn, without threads: the log never grows to where the writer would copy it by itself,
   * although far more is written than that.
   */
  @Test
  void theWriterNeverHasToCopyTheLogItself() throws Exception {
    try (SqliteDatabase database =
        new SqliteDatabase(folder.resolve("test.db"), false, new SystemTime()::machineMs)) {
      database.start();
      database.write(handle -> handle.execute("CREATE TABLE t (n integer PRIMARY KEY, b blob)"));
      Checkpointer checkpointer = new Checkpointer(database);
      long pageBytes =
          database.read(handle -> handle.createQuery("PRAGMA page_size").mapTo(Long.class).one());
      long writerCopiesFrom = SqliteDatabase.CHECKPOINT_PAGES * pageBytes;
      long longest = 0;
      for (int i = 0; i < COMMITS; i++) {
        database.write(handle -> handle.execute("INSERT INTO t (b) VALUES (randomblob(64000))"));
        if (i % 10 == 9) {
          checkpointer.turn();
        }
        longest = Math.max(longest, database.logBytes());
      }
      assertThat(COMMITS * 64_000L).as("enough was written").isGreaterThan(2 * writerCopiesFrom);
      assertThat(longest)
          .as("the longest log")
          .isGreaterThan(Checkpointer.COPY_FROM_BYTES)
          .isLessThan(writerCopiesFrom);
    }
  }

  private static long logBytes(SqliteDatabase database) {
    try {
      return database.logBytes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
