package dev.postrider.configfile.plan;

import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A database whose reads and writes all run in one open transaction, so that the ordinary stores
 * can change many objects atomically.
 */
record OneTransaction(Database database, Handle handle) implements Database {
  @Override
  public Dialect dialect() {
    return database.dialect();
  }

  @Override
  public <T extends @Nullable Object> T read(Work<T> work) {
    return run(work);
  }

  @Override
  public <T extends @Nullable Object> T snapshot(Work<T> work) {
    return run(work);
  }

  @Override
  public <T extends @Nullable Object> T write(Work<T> work) {
    return run(work);
  }

  private <T extends @Nullable Object> T run(Work<T> work) {
    try {
      return work.run(handle);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long databaseMs() {
    return database.databaseMs();
  }

  @Override
  public boolean reachable() {
    return true;
  }

  @Override
  public void migrate() {
    throw new IllegalStateException("migrations cannot run inside a transaction");
  }

  /** The transaction's owner ends it. */
  @Override
  public void close() {}
}
