package dev.postrider.maintenance;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import java.util.List;
import java.util.Objects;

/** Reads the instances table, which has a row with a heartbeat counter for each instance. */
public final class Instances {
  /** One row of the instances table. */
  public record Seen(Id id, long heartbeat, String role) {}

  private final Database database;

  public Instances(Database database) {
    this.database = database;
  }

  public List<Seen> all() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT id, heartbeat, role FROM instances")
                .map(
                    (row, context) ->
                        new Seen(
                            database.dialect().readPresent(row, 1),
                            row.getLong(2),
                            row.getString(3)))
                .list());
  }

  void publishHorizon(Id id, Id horizon) {
    database.write(
        handle ->
            handle
                .createUpdate("UPDATE instances SET horizon = :horizon WHERE id = :id")
                .bind("id", id)
                .bind("horizon", horizon)
                .execute());
  }

  /** Of every other instance; the smallest id for one that has not reported yet. */
  List<Id> horizonsOfOthers(Id self) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT horizon FROM instances WHERE id <> :self")
                .bind("self", self)
                .map(
                    (row, context) ->
                        Objects.requireNonNullElse(database.dialect().read(row, 1), Id.ZERO))
                .list());
  }

  public void remove(Id id) {
    database.write(
        handle ->
            handle.createUpdate("DELETE FROM instances WHERE id = :id").bind("id", id).execute());
  }

  /** Only while its counter is unchanged; false if it moved, or the row does not exist. */
  boolean removeIfStopped(Id id, long heartbeat) {
    return database.write(
        handle ->
            handle
                    .createUpdate("DELETE FROM instances WHERE id = :id AND heartbeat = :heartbeat")
                    .bind("id", id)
                    .bind("heartbeat", heartbeat)
                    .execute()
                == 1);
  }
}
