package dev.postrider.engine.wiring;

import dev.postrider.maintenance.HeartbeatStore;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Signals;
import dev.postrider.storage.postgres.PostgresDatabase;
import dev.postrider.storage.postgres.PostgresDedicatedConnection;
import dev.postrider.storage.postgres.PostgresSignals;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.storage.sqlite.SqliteDedicatedConnection;
import java.util.ArrayList;
import java.util.List;

/**
 * The database, the dedicated connections of the hot loops, and the notifications between
 * instances.
 */
record EngineConnections(
    Database database,
    DedicatedConnection accept,
    DedicatedConnection finish,
    DedicatedConnection finishLanes,
    DedicatedConnection claim,
    DedicatedConnection heartbeat,
    DedicatedConnection steps,
    Signals signals) {
  static EngineConnections of(Database database) {
    return switch (database) {
      case PostgresDatabase postgres -> ofServer(postgres);
      case SqliteDatabase file -> {
        DedicatedConnection link = new SqliteDedicatedConnection(file);
        yield new EngineConnections(database, link, link, link, link, link, link, Signals.NONE);
      }
      default -> throw new IllegalArgumentException("unknown database " + database);
    };
  }

  private static EngineConnections ofServer(PostgresDatabase database) {
    List<String> nested = new ArrayList<>(PostgresDedicatedConnection.INDEX_PLANS);
    nested.addAll(PostgresDedicatedConnection.NESTED_LOOPS);
    return new EngineConnections(
        database,
        new PostgresDedicatedConnection(
            database, "postrider-accept", PostgresDedicatedConnection.INDEX_PLANS),
        new PostgresDedicatedConnection(database, "postrider-finish", nested),
        new PostgresDedicatedConnection(
            database, "postrider-finish-lanes", PostgresDedicatedConnection.KEY_LOOK_UPS),
        new PostgresDedicatedConnection(database, "postrider-claim", nested),
        new PostgresDedicatedConnection(
            database, "postrider-heartbeat", List.of(), HeartbeatStore.STATEMENT_TIMEOUT_MS),
        // Opened when the first step is sent: the library has no workflows.
        new PostgresDedicatedConnection(
            database, "postrider-steps", PostgresDedicatedConnection.KEY_LOOK_UPS),
        new PostgresSignals(database, database.schema()));
  }

  /** All except the notifications, which are closed before the HTTP client. */
  void close() {
    accept.close();
    finish.close();
    finishLanes.close();
    claim.close();
    heartbeat.close();
    steps.close();
    database.close();
  }
}
