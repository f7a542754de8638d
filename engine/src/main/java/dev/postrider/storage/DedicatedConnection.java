package dev.postrider.storage;

import dev.postrider.storage.sqlite.SqliteDatabase;
import org.jspecify.annotations.Nullable;

/**
 * A connection for one hot loop: the writer of SQLite, or a dedicated PostgreSQL connection. Used
 * by one thread at a time.
 */
public interface DedicatedConnection extends Transactions, AutoCloseable {

  /**
   * Runs the work; committed when this returns. A lost connection is thrown as {@link
   * DatabaseUnavailable} and re-opened next time.
   */
  <T extends @Nullable Object> T run(Database.RawWork<T> work);

  @Override
  void close();

  /**
   * The dedicated connection of SQLite: the writer thread, where all queued work shares a commit.
   */
  static DedicatedConnection of(SqliteDatabase database) {
    return new DedicatedConnection() {
      @Override
      public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
        return database.writeHot(work);
      }

      @Override
      public <T extends @Nullable Object> T write(Database.Work<T> work) {
        return database.write(work);
      }

      @Override
      public void close() {}
    };
  }
}
