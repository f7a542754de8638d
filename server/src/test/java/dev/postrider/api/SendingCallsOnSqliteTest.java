package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class SendingCallsOnSqliteTest extends SendingCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.SQLITE;
  }
}
