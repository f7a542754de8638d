package dev.postrider.storage;

import org.jspecify.annotations.Nullable;

/** Where transactions run: on connections of the pool, or on one of the caller's own. */
public interface Transactions {

  /**
   * One transaction; deadlocks and serialization failures are re-run, so the work must be
   * repeatable.
   */
  <T extends @Nullable Object> T write(Database.Work<T> work);
}
