package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class ListingCallsOnPostgresTest extends ListingCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
