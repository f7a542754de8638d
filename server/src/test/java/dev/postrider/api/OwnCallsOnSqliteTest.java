package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class OwnCallsOnSqliteTest extends OwnCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
