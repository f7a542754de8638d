package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class AbuseOnPostgresTest extends AbuseContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
