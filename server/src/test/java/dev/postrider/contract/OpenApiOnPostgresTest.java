package dev.postrider.contract;

import dev.postrider.testkit.Databases;

final class OpenApiOnPostgresTest extends OpenApiContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
