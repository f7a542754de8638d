package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class CronOnPostgresTest extends CronContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
