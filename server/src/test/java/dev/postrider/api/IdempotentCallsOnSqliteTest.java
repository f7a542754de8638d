package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class IdempotentCallsOnSqliteTest extends IdempotentCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
