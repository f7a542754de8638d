package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class IngestOnPostgresTest extends IngestContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
