package dev.postrider.api;

import dev.postrider.testkit.Databases;

final class SendingCallsOnPostgresTest extends SendingCallsContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
