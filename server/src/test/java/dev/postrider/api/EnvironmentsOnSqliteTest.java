package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class EnvironmentsOnSqliteTest extends EnvironmentsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
