package dev.postrider.engine.wiring;

import dev.postrider.options.EngineOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Signals;
import dev.postrider.time.SystemTime;

/** Builds the real engine on a given database. */
public final class EngineParts {
  private EngineParts() {}

  public static EngineRuntime engine(
      EngineOptions options,
      Database database,
      DedicatedConnection link,
      Signals signals,
      SystemTime time) {
    time.followDatabase(database.databaseMs(), time.nanos(), time.nanos());
    return new EngineRuntime(
        options,
        new EngineConnections(database, link, link, link, link, link, link, signals),
        time);
  }
}
