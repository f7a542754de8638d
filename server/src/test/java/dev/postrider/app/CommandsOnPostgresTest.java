package dev.postrider.app;

import dev.postrider.testkit.Databases;

class CommandsOnPostgresTest extends CommandsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
