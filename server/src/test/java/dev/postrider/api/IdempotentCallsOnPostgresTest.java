package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class IdempotentCallsOnPostgresTest extends IdempotentCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
