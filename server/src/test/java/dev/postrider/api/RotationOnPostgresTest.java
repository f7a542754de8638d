package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class RotationOnPostgresTest extends RotationContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
