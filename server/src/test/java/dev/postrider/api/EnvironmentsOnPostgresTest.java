package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class EnvironmentsOnPostgresTest extends EnvironmentsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
