package dev.postrider.testkit;

import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import org.jspecify.annotations.Nullable;

/** A database with a hook that runs between each read and the use of its result. */
public record SlowDatabase(Database database, Runnable afterRead) implements Database {
  @Override
  public Dialect dialect() {
    return database.dialect();
  }

  @Override
  public <T extends @Nullable Object> T read(Work<T> work) {
    T result = database.read(work);
    afterRead.run();
    return result;
  }

  @Override
  public <T extends @Nullable Object> T snapshot(Work<T> work) {
    return database.snapshot(work);
  }

  @Override
  public <T extends @Nullable Object> T write(Work<T> work) {
    return database.write(work);
  }

  @Override
  public long databaseMs() {
    return database.databaseMs();
  }

  @Override
  public boolean reachable() {
    return database.reachable();
  }

  @Override
  public void migrate() {
    database.migrate();
  }

  @Override
  public void close() {}
}
