package dev.postrider.endpoint;

import dev.postrider.testkit.Databases;

final class EndpointOnSqliteTest extends EndpointContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
