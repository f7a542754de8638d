package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class QueueCallsOnPostgresTest extends QueueCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
