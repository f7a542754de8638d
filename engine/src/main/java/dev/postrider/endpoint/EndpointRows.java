package dev.postrider.endpoint;

import dev.postrider.field.FieldRows;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The statements on the tables of an endpoint; all run in the caller's transaction. */
final class EndpointRows {
  static final FieldRows FIELDS = new FieldRows(EndpointFields.ALL);

  /** With deleted ones. */
  private static final String SELECT_ANY =
      """
      SELECT e.id, e.application_id, <fields>, e.disabled_reason, e.disabled_at, e.version, e.created_at, e.updated_at, e.deleted_at,
        l.paused, l.ordered
      FROM endpoints e JOIN lanes l ON l.id = e.id
      WHERE e.application_id = :application
      """
          .replace("<fields>", FIELDS.select("e"));

  private static final String INSERT =
      """
      INSERT INTO endpoints (id, application_id, <fields>, disabled_reason, disabled_at, headers, created_at, updated_at)
      VALUES (:id, :application, <values>, :disabledReason, :disabledAt, :headers, :now, :now)
      """
          .replace("<fields>", FIELDS.columns())
          .replace("<values>", FIELDS.parameters());

  private static final String UPDATE =
      """
      UPDATE endpoints SET <fields>, disabled_reason = :disabledReason, disabled_at = :disabledAt, version = version + 1,
        updated_at = :now
      WHERE id = :id
      """
          .replace("<fields>", FIELDS.assignments());

  private static final String SELECT = SELECT_ANY + " AND e.deleted_at IS NULL";

  private final Dialect dialect;

  EndpointRows(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The live endpoint that the caller named by id text or uid. */
  Optional<Endpoint> find(Handle handle, ApplicationId applicationId, String idOrUid) {
    if (idOrUid.startsWith(IdKind.ENDPOINT.prefix())) {
      EndpointId id = EndpointId.parse(idOrUid);
      return id == null ? Optional.empty() : find(handle, applicationId, id);
    }
    return one(
        handle,
        applicationId,
        handle.createQuery(SELECT + " AND e.uid = :uid").bind("uid", idOrUid));
  }

  Optional<Endpoint> find(Handle handle, ApplicationId applicationId, EndpointId id) {
    return one(
        handle, applicationId, handle.createQuery(SELECT + " AND e.id = :id").bind("id", id));
  }

  private Optional<Endpoint> one(Handle handle, ApplicationId applicationId, Query query) {
    return query
        .bind("application", applicationId)
        .map(Row.mapper(dialect, row -> read(row, new EndpointId(row.id("id")), handle)))
        .findOne();
  }

  private Endpoint read(Row row, EndpointId id, Handle handle) throws SQLException {
    ApplicationId application = new ApplicationId(row.id("application_id"));
    return read(
        row,
        texts(handle, Texts.SUBSCRIPTIONS, application, id).getOrDefault(id.value(), List.of()),
        texts(handle, Texts.CHANNELS, application, id).getOrDefault(id.value(), List.of()));
  }

  /** Those of these endpoints that are or were the application's. */
  List<Endpoint> any(Handle handle, ApplicationId applicationId, Collection<Id> ids) {
    return ids.isEmpty()
        ? List.of()
        : all(
            handle,
            applicationId,
            handle.createQuery(SELECT_ANY + " AND e.id IN (<ids>)").bindList("ids", ids));
  }

  /**
   * @param health only endpoints of this health; null for all
   */
  List<Endpoint> list(
      Handle handle,
      ApplicationId applicationId,
      Keyset<Id> keyset,
      @Nullable EndpointHealth health) {
    String beyond = keyset.from() == null ? "" : " AND e.id <beyond> :from";
    // The application of the lane is that of the endpoint; named for the index of unhealthy lanes.
    String which =
        health == null ? "" : " AND l.application_id = :application AND " + health.filter();
    Query query =
        handle
            .createQuery(
                keyset.apply(SELECT + which + beyond + " ORDER BY e.id <way> LIMIT :fetch"))
            .bind("fetch", keyset.fetch());
    if (keyset.from() != null) {
      query.bind("from", keyset.from());
    }
    return all(handle, applicationId, query);
  }

  private List<Endpoint> all(Handle handle, ApplicationId applicationId, Query query) {
    Map<Id, List<String>> subscriptions = texts(handle, Texts.SUBSCRIPTIONS, applicationId, null);
    Map<Id, List<String>> channels = texts(handle, Texts.CHANNELS, applicationId, null);
    return query
        .bind("application", applicationId)
        .map(
            Row.mapper(
                dialect,
                row ->
                    read(
                        row,
                        subscriptions.getOrDefault(row.id("id"), List.of()),
                        channels.getOrDefault(row.id("id"), List.of()))))
        .list();
  }

  private static Endpoint read(Row row, List<String> subscriptions, List<String> channels)
      throws SQLException {
    return new Endpoint(
        new EndpointId(row.id("id")),
        new ApplicationId(row.id("application_id")),
        spec(row, subscriptions, channels),
        row.textOrNull("disabled_reason"),
        row.timeOrNull("disabled_at"),
        row.integer("version"),
        row.time("created_at"),
        row.time("updated_at"));
  }

  private static EndpointSpec spec(Row row, List<String> subscriptions, List<String> channels)
      throws SQLException {
    EndpointSpec spec =
        new EndpointSpec(FIELDS.read(row))
            .with(EndpointFields.PAUSED, row.flag("paused"))
            .with(EndpointFields.ORDERED, row.flag("ordered"))
            .with(EndpointFields.SUBSCRIPTIONS, subscriptions)
            .with(EndpointFields.CHANNELS, channels);
    // The uid of a deleted endpoint may belong to another by now.
    return row.numberOrNull("deleted_at") == null ? spec : spec.with(EndpointFields.UID, null);
  }

  /** The two tables that contain lists of texts of an endpoint: subscriptions and channels. */
  private enum Texts {
    SUBSCRIPTIONS("subscriptions", "pattern"),
    CHANNELS("endpoint_channels", "channel");

    private final String table;
    private final String column;

    Texts(String table, String column) {
      this.table = table;
      this.column = column;
    }

    String sql(String template) {
      return template.replace("<table>", table).replace("<column>", column);
    }
  }

  private Map<Id, List<String>> texts(
      Handle handle, Texts texts, ApplicationId applicationId, @Nullable EndpointId endpointId) {
    String one = endpointId == null ? "" : " AND endpoint_id = :endpoint";
    Query query =
        handle
            .createQuery(
                texts.sql(
                    "SELECT endpoint_id, <column> AS value FROM <table> WHERE application_id ="
                        + " :application"
                        + one
                        + " ORDER BY <column>"))
            .bind("application", applicationId);
    if (endpointId != null) {
      query.bind("endpoint", endpointId);
    }
    Map<Id, List<String>> byEndpoint = new TreeMap<>();
    query
        .map(
            Row.mapper(
                dialect,
                row ->
                    byEndpoint
                        .computeIfAbsent(row.id("endpoint_id"), _ -> new ArrayList<>())
                        .add(row.text("value"))))
        .list();
    return byEndpoint;
  }

  void insert(
      Handle handle,
      EndpointId id,
      ApplicationId applicationId,
      EndpointSpec spec,
      byte @Nullable [] headers,
      long nowMs) {
    boolean disabled = spec.get(EndpointFields.DISABLED);
    FIELDS
        .bind(handle.createUpdate(INSERT), spec.values())
        .bind("now", nowMs)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("headers", headers)
        .bind("disabledReason", disabled ? EndpointStore.DISABLED_BY_USER : null)
        .bind("disabledAt", disabled ? (Long) nowMs : null)
        .execute();
    handle
        .createUpdate(
            """
            INSERT INTO lanes (id, application_id, paused, ordered) VALUES (:id, :application, :paused, :ordered)
            """)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("paused", spec.get(EndpointFields.PAUSED))
        .bind("ordered", spec.get(EndpointFields.ORDERED))
        .execute();
    insertTexts(
        handle, Texts.SUBSCRIPTIONS, applicationId, id, spec.get(EndpointFields.SUBSCRIPTIONS));
    insertTexts(handle, Texts.CHANNELS, applicationId, id, spec.get(EndpointFields.CHANNELS));
  }

  void update(Handle handle, Endpoint before, EndpointSpec spec, long nowMs) {
    boolean disabled = spec.get(EndpointFields.DISABLED);
    boolean disabling = disabled && !before.spec().get(EndpointFields.DISABLED);
    FIELDS
        .bind(handle.createUpdate(UPDATE), spec.values())
        .bind("now", nowMs)
        .bind("id", before.id())
        .bind(
            "disabledReason",
            disabling ? EndpointStore.DISABLED_BY_USER : disabled ? before.disabledReason() : null)
        .bind("disabledAt", disabling ? (Long) nowMs : disabled ? before.disabledAt() : null)
        .execute();
    updateLane(handle, before, spec);
    if (spec.differs(EndpointFields.SUBSCRIPTIONS, before.spec())) {
      replaceTexts(handle, Texts.SUBSCRIPTIONS, before, spec.get(EndpointFields.SUBSCRIPTIONS));
    }
    if (spec.differs(EndpointFields.CHANNELS, before.spec())) {
      replaceTexts(handle, Texts.CHANNELS, before, spec.get(EndpointFields.CHANNELS));
    }
  }

  private static void updateLane(Handle handle, Endpoint before, EndpointSpec spec) {
    if (spec.differs(EndpointFields.PAUSED, before.spec())
        || spec.differs(EndpointFields.ORDERED, before.spec())) {
      handle
          .createUpdate("UPDATE lanes SET paused = :paused, ordered = :ordered WHERE id = :id")
          .bind("id", before.id())
          .bind("paused", spec.get(EndpointFields.PAUSED))
          .bind("ordered", spec.get(EndpointFields.ORDERED))
          .execute();
    }
    if (before.spec().get(EndpointFields.DISABLED) && !spec.get(EndpointFields.DISABLED)) {
      // A fresh start: else the next failure would disable it again at once.
      handle
          .createUpdate(
              "UPDATE lanes SET failing_since = NULL, last_failure_at = NULL WHERE id = :id")
          .bind("id", before.id())
          .execute();
    }
  }

  private static void replaceTexts(
      Handle handle, Texts texts, Endpoint endpoint, List<String> values) {
    handle
        .createUpdate(
            texts.sql(
                "DELETE FROM <table> WHERE application_id = :application AND endpoint_id ="
                    + " :endpoint"))
        .bind("application", endpoint.applicationId())
        .bind("endpoint", endpoint.id())
        .execute();
    insertTexts(handle, texts, endpoint.applicationId(), endpoint.id(), values);
  }

  private static void insertTexts(
      Handle handle,
      Texts texts,
      ApplicationId applicationId,
      EndpointId endpointId,
      List<String> values) {
    for (String value : values) {
      handle
          .createUpdate(
              texts.sql(
                  "INSERT INTO <table> (application_id, endpoint_id, <column>) VALUES"
                      + " (:application, :endpoint, :value)"))
          .bind("application", applicationId)
          .bind("endpoint", endpointId)
          .bind("value", value)
          .execute();
    }
  }
}
