package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class RepeatedCallsOnSqliteTest extends RepeatedCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
