package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class OwnCallsOnPostgresTest extends OwnCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
