package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class WatchOnPostgresTest extends WatchContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
