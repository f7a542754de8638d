package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class SvixClientOnPostgresTest extends SvixClientContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
