package dev.postrider.audit;

import dev.postrider.id.ApiKeyId;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.OldRows;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads the audit log. */
public final class AuditStore {
  private final Database database;

  public AuditStore(Database database) {
    this.database = database;
  }

  /** The filter of an audit log query; a null field matches every entry. */
  public record Filter(
      @Nullable String action,
      @Nullable String objectKind,
      @Nullable String objectId,
      @Nullable ApplicationId applicationId,
      @Nullable ApiKeyId keyId,
      @Nullable Instant after,
      @Nullable Instant before) {
    private String sql() {
      return (action == null ? "" : " AND action = :action")
          + (objectKind == null ? "" : " AND object_kind = :kind")
          + (objectId == null ? "" : " AND object_id = :object")
          + (applicationId == null ? "" : " AND application_id = :application")
          + (keyId == null ? "" : " AND key_id = :key")
          + (after == null ? "" : " AND id >= :after")
          + (before == null ? "" : " AND id < :before");
    }

    private void bind(Query query) {
      bind(query, "action", action);
      bind(query, "kind", objectKind);
      bind(query, "object", objectId);
      bind(query, "application", applicationId);
      bind(query, "key", keyId);
      bind(query, "after", after == null ? null : Id.floorOf(after));
      bind(query, "before", before == null ? null : Id.floorOf(before));
    }

    private static void bind(Query query, String name, @Nullable Object value) {
      if (value != null) {
        query.bind(name, value);
      }
    }
  }

  public Keyset.Page<AuditEntry> list(String environmentId, Filter filter, Keyset<Id> keyset) {
    String sql =
        """
        SELECT id, environment_id, application_id, actor_kind, key_id, action, object_kind, object_id
        FROM audit WHERE environment_id = :environment <from> <filter>
        ORDER BY id <way> LIMIT :fetch
        """;
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(
                      keyset.apply(
                          sql.replace("<filter>", filter.sql())
                              .replace(
                                  "<from>", keyset.from() == null ? "" : "AND id <beyond> :from")))
                  .bind("environment", environmentId)
                  .bind("fetch", keyset.fetch());
          filter.bind(query);
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(query.map(Row.mapper(database.dialect(), AuditStore::entry)).list());
        });
  }

  /** Deletes up to that many that are older, and returns the number of deleted rows. */
  public int prune(Instant before, int limit) {
    return OldRows.prune(database, "audit", before, limit);
  }

  private static AuditEntry entry(Row row) throws SQLException {
    return new AuditEntry(
        row.id("id"),
        row.text("environment_id"),
        ApplicationId.orNull(row.idOrNull("application_id")),
        row.text("actor_kind"),
        ApiKeyId.orNull(row.idOrNull("key_id")),
        row.text("action"),
        row.text("object_kind"),
        row.text("object_id"));
  }
}
