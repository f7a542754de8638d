package dev.postrider.storage.sqlite;

import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import org.jspecify.annotations.Nullable;

/** The dedicated connection of SQLite: the writer thread, where all queued work shares a commit. */
public record SqliteDedicatedConnection(SqliteDatabase database) implements DedicatedConnection {
  @Override
  public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
    return database.writeHot(work);
  }

  @Override
  public <T extends @Nullable Object> T write(Database.Work<T> work) {
    return database.write(work);
  }

  /** The database owns the writer thread. */
  @Override
  public void close() {}
}
