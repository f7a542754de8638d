package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class LiveCancelsOnSqliteTest extends LiveCancelsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
