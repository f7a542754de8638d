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

  private static long logBytes(SqliteDatabase database) {
    try {
      return database.logBytes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
