package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class QueueCallsOnSqliteTest extends QueueCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
