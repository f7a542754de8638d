package dev.postrider.file;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.time.TimeSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Remembers what came from the file. */
final class OwnedStore {
  private final Database database;
  private final TimeSource time;
  private final String environmentId;

  OwnedStore(Database database, TimeSource time, String environmentId) {
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

  /** Until the transaction ends nobody else applies a file here. */
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
                  "UPDATE configuration_files SET version = version WHERE environment_id = :environment")
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

  /** The ids by name. */
  Map<String, Id> all(Kind kind) {
    Map<String, Id> owned = new TreeMap<>();
    database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT name, resource_id FROM configuration_items
                    WHERE environment_id = :environment AND kind = :kind
                    """)
                .bind("environment", environmentId)
                .bind("kind", kind.text())
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> {
                          owned.put(row.text("name"), row.id("resource_id"));
                          return true;
                        }))
                .list());
    return owned;
  }

  void add(Kind kind, String name, Id id) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO configuration_items (environment_id, kind, name, resource_id, created_at)
                    VALUES (:environment, :kind, :name, :id, :now)
                    ON CONFLICT (environment_id, kind, name) DO UPDATE SET resource_id = excluded.resource_id
                    """)
                .bind("environment", environmentId)
                .bind("kind", kind.text())
                .bind("name", name)
                .bind("id", id)
                .bind("now", time.nowMs())
                .execute());
  }

  void remove(Kind kind, String name) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    DELETE FROM configuration_items
                    WHERE environment_id = :environment AND kind = :kind AND name = :name
                    """)
                .bind("environment", environmentId)
                .bind("kind", kind.text())
                .bind("name", name)
                .execute());
  }
}
