package dev.postrider.contract;

import dev.postrider.testkit.Databases;

final class OpenApiOnSqliteTest extends OpenApiContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
