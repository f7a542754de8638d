package dev.postrider.inbound.store;

import dev.postrider.field.FieldJson;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.Source.SecretNote;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The statements on sources and their secrets; all run in the caller's transaction. */
public final class SourceRows {
  static final String COLUMNS =
      "id, environment_id, application_id, form, token_hash, version, created_at, updated_at";

  /** A secret as stored in the table. */
  @SuppressWarnings("ArrayRecordComponent") // from the query to its opening
  record Sealed(
      Id id,
      Id sourceId,
      String eventTypes,
      byte[] sealed,
      long createdAtMs,
      @Nullable Long expiresAtMs) {}

  /** The source of a token. */
  @SuppressWarnings("ArrayRecordComponent") // from the query to the map of tokens
  public record TokenHash(Id sourceId, byte[] hash, @Nullable Long untilMs) {}

  private SourceRows() {}

  static Optional<Source> find(
      Handle handle, Dialect dialect, String environmentId, String idOrName) {
    boolean byId = idOrName.startsWith(IdKind.SOURCE.prefix());
    Id id = byId ? Id.parse(IdKind.SOURCE, idOrName) : null;
    if (byId && id == null) {
      return Optional.empty();
    }
    var query =
        handle
            .createQuery(
                "SELECT "
                    + COLUMNS
                    + " FROM sources WHERE environment_id = :environment AND "
                    + (byId ? "id = :id" : "name = :name"))
            .bind("environment", environmentId);
    if (id != null) {
      query.bind("id", id);
    } else {
      query.bind("name", idOrName);
    }
    return query
        .map(Row.mapper(dialect, SourceRows::read))
        .findOne()
        .map(source -> withNotes(handle, dialect, source));
  }

  static Source withNotes(Handle handle, Dialect dialect, Source source) {
    return with(source, secrets(handle, dialect, source.id()));
  }

  static Source with(Source source, List<Sealed> secrets) {
    return new Source(
        source.id(),
        source.environmentId(),
        source.applicationId(),
        source.form(),
        source.hasToken(),
        secrets.stream()
            .map(s -> new SecretNote(s.id(), s.eventTypes(), s.createdAtMs(), s.expiresAtMs()))
            .toList(),
        source.version(),
        source.createdAtMs(),
        source.updatedAtMs());
  }

  /** Newest first. */
  static List<Sealed> secrets(Handle handle, Dialect dialect, Id sourceId) {
    return handle
        .createQuery(
            """
            SELECT id, source_id, event_types, sealed, created_at, expires_at FROM source_secrets
            WHERE source_id = :source ORDER BY id DESC
            """)
        .bind("source", sourceId)
        .map(Row.mapper(dialect, SourceRows::readSecret))
        .list();
  }

  static Map<Id, List<Sealed>> allSecrets(Handle handle, Dialect dialect) {
    Map<Id, List<Sealed>> bySource = new HashMap<>();
    handle
        .createQuery(
            "SELECT id, source_id, event_types, sealed, created_at, expires_at FROM source_secrets"
                + " ORDER BY id DESC")
        .map(Row.mapper(dialect, SourceRows::readSecret))
        .forEach(s -> bySource.computeIfAbsent(s.sourceId(), _ -> new ArrayList<>()).add(s));
    return bySource;
  }

  static List<TokenHash> tokens(Handle handle, Dialect dialect) {
    List<TokenHash> tokens = new ArrayList<>();
    handle
        .createQuery(
            "SELECT id, token_hash, old_token_hash, old_token_until FROM sources WHERE token_hash IS NOT NULL")
        .map(
            Row.mapper(
                dialect,
                row -> {
                  tokens.add(new TokenHash(row.id("id"), row.bytes("token_hash"), null));
                  byte[] old = row.bytesOrNull("old_token_hash");
                  if (old != null) {
                    tokens.add(new TokenHash(row.id("id"), old, row.number("old_token_until")));
                  }
                  return true;
                }))
        .list();
    return tokens;
  }

  static Source read(Row row) throws SQLException {
    return new Source(
        row.id("id"),
        row.text("environment_id"),
        row.id("application_id"),
        new SourceForm(FieldJson.read(SourceFields.ALL, row.text("form"))),
        row.bytesOrNull("token_hash") != null,
        List.of(),
        row.integer("version"),
        row.number("created_at"),
        row.number("updated_at"));
  }

  private static Sealed readSecret(Row row) throws SQLException {
    return new Sealed(
        row.id("id"),
        row.id("source_id"),
        row.text("event_types"),
        row.bytes("sealed"),
        row.number("created_at"),
        row.numberOrNull("expires_at"));
  }

  static void insertSecret(
      Handle handle, Id id, Id sourceId, String eventTypes, byte[] sealed, long nowMs) {
    handle
        .createUpdate(
            """
            INSERT INTO source_secrets (id, source_id, event_types, sealed, created_at)
            VALUES (:id, :source, :types, :sealed, :now)
            """)
        .bind("id", id)
        .bind("source", sourceId)
        .bind("types", eventTypes)
        .bind("sealed", sealed)
        .bind("now", nowMs)
        .execute();
  }

  static void deleteSecret(Handle handle, Id id) {
    handle.createUpdate("DELETE FROM source_secrets WHERE id = :id").bind("id", id).execute();
  }

  /**
   * Marks the source as changed, in its own row and for all instances; false if it does not exist.
   */
  static boolean touch(Handle handle, Id sourceId, long nowMs) {
    countChange(handle);
    return handle
            .createUpdate(
                "UPDATE sources SET version = version + 1, updated_at = :now WHERE id = :id")
            .bind("id", sourceId)
            .bind("now", nowMs)
            .execute()
        == 1;
  }

  static void countChange(Handle handle) {
    handle.createUpdate("UPDATE source_changes SET version = version + 1 WHERE id = 1").execute();
  }

  static long changes(Handle handle) {
    return handle
        .createQuery("SELECT version FROM source_changes WHERE id = 1")
        .mapTo(Long.class)
        .one();
  }
}
