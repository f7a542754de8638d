package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class SvixClientOnSqliteTest extends SvixClientContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
