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
