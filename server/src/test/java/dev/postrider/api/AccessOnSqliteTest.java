package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class AccessOnSqliteTest extends AccessContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
