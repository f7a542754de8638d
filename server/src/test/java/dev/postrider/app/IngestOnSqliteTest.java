package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class IngestOnSqliteTest extends IngestContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
