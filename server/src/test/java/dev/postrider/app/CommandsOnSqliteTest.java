package dev.postrider.app;

import dev.postrider.testkit.Databases;

class CommandsOnSqliteTest extends CommandsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
