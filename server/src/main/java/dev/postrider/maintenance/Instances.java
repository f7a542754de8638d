package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import java.util.List;

/** The instances table: who lives, by a counter that each one moves. */
public final class Instances {
  /** One instance as the table shows it. */
  public record Seen(Id id, long heartbeat) {}

  private final Database database;

  public Instances(Database database) {
    this.database = database;
  }

  /**
   * Moves the own counter; makes the row if it is not there (someone may have taken this instance
   * for dead).
   */
  public void beat(Id id, String host, String version, String role, long nowMs) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO instances AS i (id, heartbeat, host, version, role, started_at, seen_at)
                    VALUES (:id, 1, :host, :version, :role, :now, :now)
                    ON CONFLICT (id) DO UPDATE SET heartbeat = i.heartbeat + 1, seen_at = :now
                    """)
                .bind("id", id)
                .bind("host", host)
                .bind("version", version)
                .bind("role", role)
                .bind("now", nowMs)
                .execute());
  }

  public List<Seen> all() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT id, heartbeat FROM instances")
                .map(
                    (row, context) ->
                        new Seen(database.dialect().readPresent(row, 1), row.getLong(2)))
                .list());
  }

  public void remove(Id id) {
    database.write(
        handle ->
            handle.createUpdate("DELETE FROM instances WHERE id = :id").bind("id", id).execute());
  }
}
