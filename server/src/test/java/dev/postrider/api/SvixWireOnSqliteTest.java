package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class SvixWireOnSqliteTest extends SvixWireContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
