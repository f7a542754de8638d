package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class AbuseOnSqliteTest extends AbuseContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
