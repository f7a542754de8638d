package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class SourceOnPostgresTest extends SourceContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
