package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The statements of a heartbeat, on a dedicated connection, so that a busy connection pool cannot
 * delay heartbeats and make the instance look dead.
 */
public final class HeartbeatStore {
  /**
   * A heartbeat that takes longer has failed, and the next one must come before the others declare
   * it dead.
   */
  public static final int STATEMENT_TIMEOUT_MS = 3_000;

  private static final String BEAT =
      """
      INSERT INTO instances (id, heartbeat, host, version, role, started_at, seen_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat, seen_at = excluded.seen_at
      """;

  private final Database database;
  private final DedicatedConnection link;

  public HeartbeatStore(Database database, DedicatedConnection link) {
    this.database = database;
    this.link = link;
  }

  /** Milliseconds since the epoch by the database's clock. */
  long databaseMs() {
    return switch (database.dialect()) {
      case SQLITE -> database.databaseMs(); // the machine's own clock
      case POSTGRES ->
          link.run(
              connection -> {
                try (Statement statement = connection.createStatement();
                    ResultSet row =
                        statement.executeQuery(
                            "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")) {
                  row.next();
                  return row.getLong(1);
                }
              });
    };
  }

  /**
   * Sets the counter of this instance; creates the row if it is missing (another instance may have
   * declared this one dead). The count is given by the caller: a counter that restarted in a new
   * row could look as if it had never moved.
   */
  void beat(Heartbeat.Identity self, long count, long nowMs) {
    Dialect dialect = database.dialect();
    link.run(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(BEAT)) {
            dialect.bind(statement, 1, self.id());
            statement.setLong(2, count);
            statement.setString(3, self.host());
            statement.setString(4, self.version());
            statement.setString(5, self.role());
            statement.setLong(6, nowMs);
            statement.setLong(7, nowMs);
            return statement.executeUpdate();
          }
        });
  }

  List<Instances.Seen> all() {
    return link.run(
        connection -> {
          List<Instances.Seen> all = new ArrayList<>();
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery("SELECT id, heartbeat, role FROM instances")) {
            while (row.next()) {
              Id id = database.dialect().readPresent(row, 1);
              all.add(new Instances.Seen(id, row.getLong(2), row.getString(3)));
            }
          }
          return all;
        });
  }
}
