package dev.postrider.endpoint;

import dev.postrider.storage.Database;
import dev.postrider.storage.Row;

/** Counts the endpoints of an environment. */
public final class EndpointCounts {
  private final Database database;

  public EndpointCounts(Database database) {
    this.database = database;
  }

  /** The number of enabled and of disabled endpoints. */
  public record Counts(long active, long disabled) {}

  public Counts of(String environmentId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT coalesce(sum(CASE WHEN e.disabled THEN 0 ELSE 1 END), 0) AS active,
                           coalesce(sum(CASE WHEN e.disabled THEN 1 ELSE 0 END), 0) AS disabled
                      FROM applications a JOIN endpoints e ON e.application_id = a.id
                     WHERE a.environment_id = :environment AND a.deleted_at IS NULL AND e.deleted_at IS NULL
                    """)
                .bind("environment", environmentId)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> new Counts(row.number("active"), row.number("disabled"))))
                .one());
  }

  /** How many applications have an endpoint that takes messages, or one at all. */
  public long applications(String environmentId, boolean alsoDisabled) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT count(*) FROM applications a
                     WHERE a.environment_id = :environment AND a.deleted_at IS NULL AND EXISTS (SELECT 1 FROM endpoints e
                       WHERE e.application_id = a.id AND e.deleted_at IS NULL AND (:all OR NOT e.disabled))
                    """)
                .bind("environment", environmentId)
                .bind("all", alsoDisabled)
                .mapTo(Long.class)
                .one());
  }
}
