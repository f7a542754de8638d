package dev.postrider.app;

import dev.postrider.testkit.Databases;

final class HandshakeOnPostgresTest extends HandshakeContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
