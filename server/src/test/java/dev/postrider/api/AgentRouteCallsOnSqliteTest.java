package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class AgentRouteCallsOnSqliteTest extends AgentRouteCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
