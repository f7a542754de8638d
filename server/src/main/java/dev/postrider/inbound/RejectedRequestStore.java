package dev.postrider.inbound;

import dev.postrider.id.Id;
import dev.postrider.inbound.source.Source;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.OldRows;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Inserts, lists and deletes the records of rejected requests. */
public final class RejectedRequestStore {
  /** Maximum number of rows read for one page of a filtered list; beyond it the page ends early. */
  static final int MAX_SCANNED = 5_000;

  /** Rows have parts of bodies. */
  private static final int SCAN = 100;

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

  /**
   * Which rejected requests are listed; null fields do not filter.
   *
   * @param sourceId null for all sources of the environment
   */
  public record Filter(
      String environmentId,
      @Nullable Id sourceId,
      @Nullable String reason,
      @Nullable SignatureStatus signature,
      @Nullable Instant before,
      @Nullable Instant after) {

    /** All of one source. */
    public static Filter of(Source source) {
      return new Filter(source.environmentId(), source.id(), null, null, null, null);
    }

    private boolean takes(RejectedRequest request) {
      return (reason == null || reason.equals(request.refusal().reason()))
          && (signature == null || signature == request.signature());
    }
  }

  /** Newest first unless the keyset defines another order. */
  public Keyset.Found<Id, RejectedRequest> list(Filter filter, Keyset<Id> keyset) {
    return keyset.search(MAX_SCANNED / SCAN, from -> stretch(filter, keyset, from, SCAN));
  }

  /**
   * The next rejected requests.
   *
   * @param most maximum number of requests read
   */
  public Keyset.Stretch<Id, RejectedRequest> stretch(
      Filter filter, Keyset<Id> keyset, @Nullable Id from, int most) {
    String sql =
        """
        SELECT id, environment_id, source_id, application_id, status, reason, detail, method, address, headers, body, body_bytes,
               (SELECT s.name FROM sources s WHERE s.id = rejected_requests.source_id) AS source
          FROM rejected_requests WHERE <owner> <window> ORDER BY id <way> LIMIT :most
        """
            .replace(
                "<owner>",
                filter.sourceId() == null
                    ? "environment_id = :environment"
                    : "source_id = :source AND environment_id = :environment")
            .replace(
                "<window>",
                (from == null ? "" : " AND id <beyond> :from")
                    + (filter.before() == null ? "" : " AND id < :before")
                    + (filter.after() == null ? "" : " AND id >= :after"));
    List<RejectedRequest> rows =
        database.read(
            handle ->
                bound(handle.createQuery(keyset.apply(sql)), filter, from)
                    .bind("most", most)
                    .map(Row.mapper(database.dialect(), RejectedRequestStore::read))
                    .list());
    return new Keyset.Stretch<>(
        rows.stream().filter(filter::takes).toList(),
        rows.size() < most ? null : rows.getLast().id());
  }

  private static Query bound(Query query, Filter filter, @Nullable Id from) {
    query.bind("environment", filter.environmentId());
    if (filter.sourceId() != null) {
      query.bind("source", filter.sourceId());
    }
    if (from != null) {
      query.bind("from", from);
    }
    if (filter.before() != null) {
      query.bind("before", Id.floorOf(filter.before()));
    }
    if (filter.after() != null) {
      query.bind("after", Id.floorOf(filter.after()));
    }
    return query;
  }

  private static RejectedRequest read(Row row) throws SQLException {
    String source = row.textOrNull("source");
    return new RejectedRequest(
        row.id("id"),
        row.text("environment_id"),
        row.id("source_id"),
        row.id("application_id"),
        source == null ? "" : source, // it was deleted
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
  public int prune(Instant before, int limit) {
    return OldRows.prune(database, "rejected_requests", before, limit);
  }
}
