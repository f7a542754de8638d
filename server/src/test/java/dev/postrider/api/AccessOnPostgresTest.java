package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class AccessOnPostgresTest extends AccessContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
