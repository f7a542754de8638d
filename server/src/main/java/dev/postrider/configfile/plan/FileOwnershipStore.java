package dev.postrider.configfile.plan;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Stores which configuration file owns which objects. */
final class FileOwnershipStore {
  private final Database database;
  private final TimeSource time;
  private final String environmentId;

  FileOwnershipStore(Database database, TimeSource time, String environmentId) {
    this.database = database;
    this.time = time;
    this.environmentId = environmentId;
  }

  /** When and by whom a file was applied last. */
  record Applied(long version, String by, long atMs) {}

  Optional<Applied> applied() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT version, applied_by, applied_at FROM configuration_files
                    WHERE environment_id = :environment
                    """)
                .bind("environment", environmentId)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row ->
                            new Applied(
                                row.number("version"),
                                row.text("applied_by"),
                                row.number("applied_at"))))
                .findOne());
  }

  /** Locks the environment: until the transaction ends, no other file can be applied to it. */
  void lock() {
    database.write(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO configuration_files (environment_id, version, applied_by, applied_at)
                  VALUES (:environment, 0, '', :now) ON CONFLICT DO NOTHING
                  """)
              .bind("environment", environmentId)
              .bind("now", time.nowMs())
              .execute();
          return handle
              .createUpdate(
                  "UPDATE configuration_files SET version = version WHERE environment_id ="
                      + " :environment")
              .bind("environment", environmentId)
              .execute();
        });
  }

  void applied(String by) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE configuration_files SET version = version + 1, applied_by = :by, applied_at = :now
                    WHERE environment_id = :environment
                    """)
                .bind("environment", environmentId)
                .bind("by", by)
                .bind("now", time.nowMs())
                .execute());
  }

  /**
   * An object that a configuration file owns or owned.
   *
   * @param id the id of the object when the file was applied
   * @param owner the name of the file; empty if it was stored before files had names, then any file
   *     can take it over; null if the file no longer owns it, because other objects need it
   */
  record Item(Id id, @Nullable String owner) {}

  /** The items by name, also those that were let go. */
  Map<String, Item> all(Kind kind) {
    Map<String, Item> owned = new TreeMap<>();
    database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT name, resource_id, owner FROM configuration_items
                    WHERE environment_id = :environment AND kind = :kind
                    """)
                .bind("environment", environmentId)
                .bind("kind", kind.text())
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> {
                          owned.put(
                              row.text("name"),
                              new Item(row.id("resource_id"), row.textOrNull("owner")));
                          return true;
                        }))
                .list());
    return owned;
  }

  void add(Kind kind, String name, Id id, String owner) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO configuration_items (environment_id, kind, name, resource_id, owner, created_at)
                    VALUES (:environment, :kind, :name, :id, :owner, :now)
                    ON CONFLICT (environment_id, kind, name)
                      DO UPDATE SET resource_id = excluded.resource_id, owner = excluded.owner
                    """)
                .bind("environment", environmentId)
                .bind("kind", kind.text())
                .bind("name", name)
                .bind("id", id)
                .bind("owner", owner)
                .bind("now", time.nowMs())
                .execute());
  }

  void remove(Kind kind, String name) {
    change("DELETE FROM configuration_items", kind, name);
  }

  /** Stays known, so that the file can have it back. */
  void release(Kind kind, String name) {
    change("UPDATE configuration_items SET owner = NULL", kind, name);
  }

  private void change(String what, Kind kind, String name) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    what + " WHERE environment_id = :environment AND kind = :kind AND name = :name")
                .bind("environment", environmentId)
                .bind("kind", kind.text())
                .bind("name", name)
                .execute());
  }
}
