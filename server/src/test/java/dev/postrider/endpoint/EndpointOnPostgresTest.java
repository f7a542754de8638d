package dev.postrider.endpoint;

import dev.postrider.testkit.Databases;

final class EndpointOnPostgresTest extends EndpointContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
