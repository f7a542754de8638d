package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class ExpressionCallsOnSqliteTest extends ExpressionCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
