package dev.postrider.storage;

import org.jspecify.annotations.Nullable;

/**
 * A connection for one hot loop: the writer of SQLite, or a dedicated PostgreSQL connection. Used
 * by one thread at a time.
 */
public interface DedicatedConnection extends Transactions, AutoCloseable {
  /** A hot statement that takes longer is blocked; the batch is then retried. */
  int STATEMENT_TIMEOUT_MS = 8_000;

  /**
   * Runs the work; committed when this returns. A lost connection is thrown as {@link
   * DatabaseUnavailable} and re-opened next time.
   */
  <T extends @Nullable Object> T run(Database.RawWork<T> work);

  @Override
  void close();
}
