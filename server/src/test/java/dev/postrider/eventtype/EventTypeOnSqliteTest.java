package dev.postrider.eventtype;

import dev.postrider.testkit.Databases;

final class EventTypeOnSqliteTest extends EventTypeContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
