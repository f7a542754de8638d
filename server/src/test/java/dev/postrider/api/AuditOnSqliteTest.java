package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class AuditOnSqliteTest extends AuditContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
