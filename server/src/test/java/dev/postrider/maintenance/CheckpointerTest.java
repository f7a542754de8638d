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
  /** Where the writer would copy the log itself: 10,000 pages and their frame headers. */
  private static final long WRITER_COPIES_AT = 10_000L * (4_096 + 24);

  /** Twice what the log may hold. */
  private static final int COMMITS = 1_400;

  @TempDir Path folder;

  /**
   * The writer writes without a pause, each commit on the disk, and hardly ever copies its log
   * itself. Without the checkpointer, more than half of these commits would be above the mark.
   */
  @Test
  @Timeout(90)
  void theWriterHardlyEverCopiesTheLogItself() throws Exception {
    try (SqliteDatabase database =
        new SqliteDatabase(folder.resolve("test.db"), true, new SystemTime()::machineMs)) {
      database.start();
      database.write(handle -> handle.execute("CREATE TABLE t (n integer PRIMARY KEY, b blob)"));
      Checkpointer checkpointer = new Checkpointer(database);
      checkpointer.start();
      int above = 0;
      for (int i = 0; i < COMMITS; i++) {
        database.write(handle -> handle.execute("INSERT INTO t (b) VALUES (randomblob(64000))"));
        above += database.logBytes() >= WRITER_COPIES_AT ? 1 : 0;
      }
      assertThat(above).as("commits that may have copied").isLessThan(COMMITS / 4);
      Engines.until(
          "an idle log is small", () -> logBytes(database) < Checkpointer.EMPTY_FROM_BYTES);
      checkpointer.stop();
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
