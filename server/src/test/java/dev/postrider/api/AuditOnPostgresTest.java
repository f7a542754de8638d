package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class AuditOnPostgresTest extends AuditContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
