package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class HandshakeOnSqliteTest extends HandshakeContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
