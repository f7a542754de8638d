package dev.postrider.storage.sqlite;

import java.util.function.Consumer;

/** The statements that a SQLite database executes through Jdbi, for tests of query plans. */
public final class ObservedStatements implements AutoCloseable {
  private final SqliteDatabase database;

  /** From now until the close. */
  public ObservedStatements(SqliteDatabase database, Consumer<String> observer) {
    this.database = database;
    database.observe(observer);
  }

  @Override
  public void close() {
    database.observe(_ -> {});
  }
}
