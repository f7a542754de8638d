package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class CronOnSqliteTest extends CronContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
