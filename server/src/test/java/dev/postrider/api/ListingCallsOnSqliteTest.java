package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class ListingCallsOnSqliteTest extends ListingCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
