package dev.postrider.storage;

import java.sql.Connection;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The database. Work is a function over a Jdbi handle; it runs on a thread of the database and the
 * caller waits. A temporary failure of the database is thrown as {@link DatabaseUnavailable}.
 */
public interface Database extends Transactions, AutoCloseable {

  /** Work over a handle that may fail with any exception. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    T run(Handle handle) throws Exception;
  }

  /** Work over a raw connection, for the hot statements. */
  @FunctionalInterface
  interface RawWork<T extends @Nullable Object> {
    T run(Connection connection) throws Exception;
  }

  Dialect dialect();

  /** Reads outside a transaction: single statements that need no common snapshot. */
  <T extends @Nullable Object> T read(Work<T> work);

  /** Reads that must see one snapshot. */
  <T extends @Nullable Object> T snapshot(Work<T> work);

  /** Milliseconds since the epoch by the database's clock. */
  long databaseMs();

  /** Calls that wait for the writer, a reader or a connection of the pool. */
  default int waiting() {
    return 0;
  }

  /** True after a successful round trip just now. */
  default boolean reachable() {
    try {
      return read(handle -> handle.createQuery("SELECT 1").mapTo(Integer.class).one()) == 1;
    } catch (RuntimeException _) {
      return false;
    }
  }

  /**
   * Applies the missing migrations under a lock.
   *
   * @throws SchemaMismatch if the schema is newer than this program or of another unreleased build
   */
  void migrate();

  @Override
  void close();
}
