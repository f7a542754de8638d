package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class WatchOnSqliteTest extends WatchContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
