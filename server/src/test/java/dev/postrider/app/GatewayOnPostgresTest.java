package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class GatewayOnPostgresTest extends GatewayContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
