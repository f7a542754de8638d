package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class RotationOnSqliteTest extends RotationContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
