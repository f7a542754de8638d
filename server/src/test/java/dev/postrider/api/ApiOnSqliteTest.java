package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class ApiOnSqliteTest extends ApiContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
