package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class CatalogOnPostgresTest extends CatalogContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
