package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class SourceOnSqliteTest extends SourceContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
