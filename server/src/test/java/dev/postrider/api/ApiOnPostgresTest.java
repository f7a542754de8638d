package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class ApiOnPostgresTest extends ApiContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
