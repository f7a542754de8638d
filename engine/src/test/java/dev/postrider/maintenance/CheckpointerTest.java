package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.testkit.Signals;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CheckpointerTest {
  /** Twice what the log may hold. */
  private static final int COMMITS = 1_000;

  @TempDir Path folder;

  /** The writer writes without a pause; once it rests, its log has been copied and emptied. */
  @Test
  @Timeout(90)
  void theLogIsEmptiedDuringWrites() throws Exception {
    try (SqliteDatabase database =
        new SqliteDatabase(folder.resolve("test.db"), true, new SystemTime()::machineMs)) {
      database.start();
      database.write(handle -> handle.execute("CREATE TABLE t (n integer PRIMARY KEY, b blob)"));
      Checkpointer checkpointer = new Checkpointer(database);
      checkpointer.start();
      for (int i = 0; i < COMMITS; i++) {
        database.write(handle -> handle.execute("INSERT INTO t (b) VALUES (randomblob(64000))"));
      }
      assertThat(database.log().pages()).as("there was a log to copy").isPositive();
      Signals.poll(
          "an idle log is copied", () -> database.log().copied() == database.log().pages());
      assertThat(database.log().pages())
          .as("it restarted on the way")
          .isLessThan(SqliteDatabase.CHECKPOINT_PAGES);
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
      int longest = 0;
      for (int i = 0; i < 3 * COMMITS; i++) {
        database.write(handle -> handle.execute("INSERT INTO t (b) VALUES (randomblob(64000))"));
        if (i % 10 == 9) {
          checkpointer.turn();
        }
        longest = Math.max(longest, database.log().pages());
      }
      assertThat(3 * COMMITS * 15L)
          .as("pages, enough were written")
          .isGreaterThan(2 * SqliteDatabase.CHECKPOINT_PAGES);
      assertThat(longest)
          .as("the longest log")
          .isGreaterThanOrEqualTo(Checkpointer.RESTART_FROM_PAGES)
          .isLessThan(SqliteDatabase.CHECKPOINT_PAGES);
    }
  }
}
