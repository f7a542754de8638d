package dev.postrider.maintenance;

import dev.postrider.storage.SqliteDatabase;
import java.io.IOException;

/**
 * Copies SQLite's write-ahead log into the database on a thread of its own, so that the writer
 * never pays for it: often and beside everyone, and, when the log has grown all the same, once with
 * everyone waiting for a moment.
 */
public final class Checkpointer {
  static final long COPY_FROM_BYTES = 2L * 1024 * 1024;

  /** Less than half of where the writer would begin to copy by itself. */
  static final long EMPTY_FROM_BYTES = 16L * 1024 * 1024;

  static final long EVERY_MS = 100;

  private final SqliteDatabase database;
  private final Duty duty = new Duty("checkpoint", this::turn);

  public Checkpointer(SqliteDatabase database) {
    this.database = database;
  }

  public void start() {
    duty.start();
  }

  public void stop() {
    duty.stop();
  }

  long turn() throws IOException {
    long log = database.logBytes();
    if (log < COPY_FROM_BYTES) {
      return EVERY_MS;
    }
    boolean copied = database.checkpoint(log >= EMPTY_FROM_BYTES);
    return copied ? EVERY_MS : EVERY_MS / 5;
  }
}
