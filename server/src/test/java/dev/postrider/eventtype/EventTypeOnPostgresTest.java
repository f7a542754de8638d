package dev.postrider.eventtype;

import dev.postrider.testkit.Databases;

final class EventTypeOnPostgresTest extends EventTypeContract {
  @Override
  Databases.Kind kind() {
    return Databases.Kind.POSTGRES;
  }
}
