package dev.postrider.inbound;

import dev.postrider.id.Id;
import dev.postrider.inbound.source.Source;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.OldRows;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** Inserts, lists and deletes the records of rejected requests. */
public final class RejectedRequestStore {
  private final Database database;

  public RejectedRequestStore(Database database) {
    this.database = database;
  }

  void insert(List<RejectedRequest> batch) {
    database.write(
        handle -> {
          PreparedBatch rows =
              handle.prepareBatch(
                  """
                  INSERT INTO rejected_requests (id, environment_id, source_id, application_id, status, reason, detail,
                    method, address, headers, body, body_bytes)
                  VALUES (:id, :environment, :source, :application, :status, :reason, :detail,
                    :method, :address, :headers, :body, :bytes)
                  ON CONFLICT DO NOTHING
                  """);
          for (RejectedRequest rejected : batch) {
            rows.bind("id", rejected.id())
                .bind("environment", rejected.environmentId())
                .bind("source", rejected.sourceId())
                .bind("application", rejected.applicationId())
                .bind("status", rejected.refusal().status())
                .bind("reason", rejected.refusal().reason())
                .bind("detail", rejected.refusal().detail())
                .bind("method", rejected.method())
                .bind("address", rejected.address())
                .bind("headers", Json.write(rejected.headers()))
                .bind("body", rejected.body())
                .bind("bytes", rejected.bodyBytes())
                .add();
          }
          return rows.execute().length;
        });
  }

  /** Of one source, newest first unless the keyset defines another order. */
  public Keyset.Page<RejectedRequest> list(
      Source source, @Nullable String reason, Keyset<Id> keyset) {
    String sql =
        """
        SELECT id, environment_id, source_id, application_id, status, reason, detail, method, address, headers, body, body_bytes
          FROM rejected_requests WHERE source_id = :source <reason> <from> ORDER BY id <way> LIMIT :fetch
        """;
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      keyset.apply(
                          sql.replace("<reason>", reason == null ? "" : "AND reason = :reason")
                              .replace(
                                  "<from>", keyset.from() == null ? "" : "AND id <beyond> :from")))
                  .bind("source", source.id())
                  .bind("fetch", keyset.fetch());
          if (reason != null) {
            query.bind("reason", reason);
          }
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(
              query
                  .map(Row.mapper(database.dialect(), row -> read(row, source.form().name())))
                  .list());
        });
  }

  private static RejectedRequest read(Row row, String source) throws SQLException {
    return new RejectedRequest(
        row.id("id"),
        row.text("environment_id"),
        row.id("source_id"),
        row.id("application_id"),
        source,
        new RejectedRequest.Refusal(row.integer("status"), row.text("reason"), row.text("detail")),
        row.text("method"),
        row.text("address"),
        Json.texts(row.text("headers")),
        row.bytesOrNull("body"),
        row.number("body_bytes"));
  }

  /**
   * Deletes up to that many that were received before this time, and returns the number of deleted
   * rows.
   */
  public int prune(long beforeMs, int limit) {
    return OldRows.prune(database, "rejected_requests", beforeMs, limit);
  }
}
