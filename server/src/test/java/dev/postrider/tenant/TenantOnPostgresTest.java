package dev.postrider.tenant;

import dev.postrider.testkit.Databases;

final class TenantOnPostgresTest extends TenantContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
