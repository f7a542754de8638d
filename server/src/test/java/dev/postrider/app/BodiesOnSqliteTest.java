package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class BodiesOnSqliteTest extends BodiesContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
