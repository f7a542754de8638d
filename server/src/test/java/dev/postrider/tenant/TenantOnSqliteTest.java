package dev.postrider.tenant;

import dev.postrider.testkit.Databases;

final class TenantOnSqliteTest extends TenantContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
