package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class GatewayOnSqliteTest extends GatewayContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
