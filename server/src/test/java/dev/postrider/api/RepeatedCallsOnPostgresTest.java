package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class RepeatedCallsOnPostgresTest extends RepeatedCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
