package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class ExpressionCallsOnPostgresTest extends ExpressionCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
