package dev.postrider.maintenance;

import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.storage.sqlite.SqliteDatabase.Checkpoint;
import dev.postrider.thread.PeriodicLoop;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints the write-ahead log of SQLite on its own thread, so that the writer does not wait for
 * it: when the log is long enough that many changes of one page are copied as one, and when nothing
 * is written anyway.
 */
public final class Checkpointer {

  /** 32 MB; less than half of the size at which the writer would checkpoint by itself. */
  static final int RESTART_FROM_PAGES = 8_000;

  /**
   * From this size on the writer waits, so that the log does not grow until it copies it itself.
   */
  static final int URGENT_FROM_PAGES = 14_000;

  static final long EVERY_MS = 100;

  private final SqliteDatabase database;
  private final PeriodicLoop loop = new PeriodicLoop("checkpoint", this::turn);
  private SqliteDatabase.@Nullable Log before;

  public Checkpointer(SqliteDatabase database) {
    this.database = database;
  }

  public void start() {
    loop.start();
  }

  public void stop() {
    loop.stop();
  }

  long turn() {
    SqliteDatabase.Log log = database.log();
    boolean resting = log.equals(before);
    before = log;
    if (log.copied() >= log.pages()) {
      return EVERY_MS;
    }
    if (log.pages() >= RESTART_FROM_PAGES) {
      Checkpoint kind =
          log.pages() >= URGENT_FROM_PAGES ? Checkpoint.RESTART : Checkpoint.QUICK_RESTART;
      return database.checkpoint(kind) ? EVERY_MS : EVERY_MS / 5;
    }
    if (resting) {
      database.checkpoint(Checkpoint.PASSIVE);
    }
    return EVERY_MS;
  }
}
