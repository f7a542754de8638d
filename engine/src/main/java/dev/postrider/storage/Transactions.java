package dev.postrider.storage;

import org.jspecify.annotations.Nullable;

/** Runs transactions: on connections of the pool, or on a connection of the caller. */
public interface Transactions {

  /**
   * One transaction; retried after deadlocks and serialization failures, so the work must be
   * repeatable.
   */
  <T extends @Nullable Object> T write(Database.Work<T> work);
}
