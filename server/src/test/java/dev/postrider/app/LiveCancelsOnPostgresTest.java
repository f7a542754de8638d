package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class LiveCancelsOnPostgresTest extends LiveCancelsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
