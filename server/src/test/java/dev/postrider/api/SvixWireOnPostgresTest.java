package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class SvixWireOnPostgresTest extends SvixWireContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
