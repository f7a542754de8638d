package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class BodiesOnPostgresTest extends BodiesContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
