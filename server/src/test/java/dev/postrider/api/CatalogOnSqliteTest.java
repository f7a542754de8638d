package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class CatalogOnSqliteTest extends CatalogContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
