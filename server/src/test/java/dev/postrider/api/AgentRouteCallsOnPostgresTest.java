package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class AgentRouteCallsOnPostgresTest extends AgentRouteCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
