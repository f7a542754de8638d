package dev.postrider.endpoint;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Json;
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
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** The statements on the tables of an endpoint; all run in the caller's transaction. */
final class EndpointRows {
  /** With deleted ones, whose uid may belong to another by now. */
  private static final String SELECT_ANY =
      """
      SELECT e.id, e.application_id, CASE WHEN e.deleted_at IS NULL THEN e.uid END AS uid, e.url, e.method, e.description, e.metadata, e.disabled, e.disabled_reason,
        e.disabled_at, e.shown_version, e.throttle_rate, e.timeout_ms, e.max_in_flight, e.initial_delay_ms, e.on_dead_letter,
        e.signature_scheme, e.retry_policy, e.filter, e.transform, e.forward_headers, e.use_application_secret, e.version, e.created_at,
        e.updated_at, l.paused, l.ordered
      FROM endpoints e JOIN lanes l ON l.id = e.id
      WHERE e.application_id = :application
      """;

  private static final String SELECT = SELECT_ANY + " AND e.deleted_at IS NULL";

  private final Dialect dialect;

  EndpointRows(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The live endpoint that the caller named by id text or uid. */
  Optional<Endpoint> find(Handle handle, Id applicationId, String idOrUid) {
    if (idOrUid.startsWith(IdKind.ENDPOINT.prefix())) {
      Id id = Id.parse(IdKind.ENDPOINT, idOrUid);
      return id == null ? Optional.empty() : find(handle, applicationId, id);
    }
    return one(
        handle,
        applicationId,
        handle.createQuery(SELECT + " AND e.uid = :uid").bind("uid", idOrUid));
  }

  Optional<Endpoint> find(Handle handle, Id applicationId, Id id) {
    return one(
        handle, applicationId, handle.createQuery(SELECT + " AND e.id = :id").bind("id", id));
  }

  private Optional<Endpoint> one(Handle handle, Id applicationId, Query query) {
    return query
        .bind("application", applicationId)
        .map(Row.mapper(dialect, row -> read(row, row.id("id"), handle)))
        .findOne();
  }

  private Endpoint read(Row row, Id id, Handle handle) throws SQLException {
    Id application = row.id("application_id");
    return read(
        row,
        texts(handle, Texts.SUBSCRIPTIONS, application, id).getOrDefault(id, List.of()),
        texts(handle, Texts.CHANNELS, application, id).getOrDefault(id, List.of()));
  }

  /** Those of these endpoints that are or were the application's. */
  List<Endpoint> any(Handle handle, Id applicationId, Collection<Id> ids) {
    return ids.isEmpty()
        ? List.of()
        : all(
            handle,
            applicationId,
            handle.createQuery(SELECT_ANY + " AND e.id IN (<ids>)").bindList("ids", ids));
  }

  List<Endpoint> list(Handle handle, Id applicationId, Keyset<Id> keyset) {
    String beyond = keyset.from() == null ? "" : " AND e.id <beyond> :from";
    Query query =
        handle
            .createQuery(keyset.apply(SELECT + beyond + " ORDER BY e.id <way> LIMIT :fetch"))
            .bind("fetch", keyset.fetch());
    if (keyset.from() != null) {
      query.bind("from", keyset.from());
    }
    return all(handle, applicationId, query);
  }

  private List<Endpoint> all(Handle handle, Id applicationId, Query query) {
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
        row.id("id"),
        row.id("application_id"),
        new EndpointSpec(
            row.textOrNull("uid"),
            row.text("url"),
            row.text("method"),
            row.text("description"),
            Json.texts(row.text("metadata")),
            subscriptions,
            channels,
            row.flag("disabled"),
            row.flag("paused"),
            row.flag("ordered"),
            row.integer("on_dead_letter") == 1,
            row.integer("shown_version"),
            row.integerOrNull("throttle_rate"),
            row.integerOrNull("timeout_ms"),
            row.integerOrNull("max_in_flight"),
            row.integerOrNull("initial_delay_ms"),
            row.textOrNull("signature_scheme"),
            row.textOrNull("retry_policy"),
            row.textOrNull("filter"),
            row.textOrNull("transform"),
            ForwardedHeaders.decode(row.textOrNull("forward_headers")),
            row.flag("use_application_secret")),
        row.textOrNull("disabled_reason"),
        row.numberOrNull("disabled_at"),
        row.integer("version"),
        row.number("created_at"),
        row.number("updated_at"));
  }

  /** The two tables that hold an endpoint's texts. */
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
      Handle handle, Texts texts, Id applicationId, @Nullable Id endpointId) {
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
      Id id,
      Id applicationId,
      EndpointSpec spec,
      byte @Nullable [] headers,
      long nowMs) {
    bind(
            handle.createUpdate(
                """
                INSERT INTO endpoints (id, application_id, uid, url, method, description, metadata, disabled, disabled_reason,
                  disabled_at, shown_version, throttle_rate, timeout_ms, max_in_flight, initial_delay_ms, on_dead_letter, signature_scheme,
                  retry_policy, filter, transform, forward_headers, use_application_secret, headers, created_at, updated_at)
                VALUES (:id, :application, :uid, :url, :method, :description, :metadata, :disabled, :disabledReason,
                  :disabledAt, :shownVersion, :throttle, :timeout, :maxInFlight, :initialDelay, :onDeadLetter, :scheme,
                  :retryPolicy, :filter, :transform, :forward, :useApplicationSecret, :headers, :now, :now)
                """),
            spec,
            nowMs)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("headers", headers)
        .bind("disabledReason", spec.disabled() ? EndpointStore.DISABLED_BY_USER : null)
        .bind("disabledAt", spec.disabled() ? (Long) nowMs : null)
        .execute();
    handle
        .createUpdate(
            """
            INSERT INTO lanes (id, application_id, paused, ordered) VALUES (:id, :application, :paused, :ordered)
            """)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("paused", spec.paused())
        .bind("ordered", spec.ordered())
        .execute();
    insertTexts(handle, Texts.SUBSCRIPTIONS, applicationId, id, spec.subscriptions());
    insertTexts(handle, Texts.CHANNELS, applicationId, id, spec.channels());
  }

  private static <S extends SqlStatement<S>> S bind(S statement, EndpointSpec spec, long nowMs) {
    return statement
        .bind("uid", spec.uid())
        .bind("url", spec.url())
        .bind("method", spec.method())
        .bind("description", spec.description())
        .bind("metadata", Json.write(spec.metadata()))
        .bind("disabled", spec.disabled())
        .bind("shownVersion", spec.shownVersion())
        .bind("throttle", spec.throttleRate())
        .bind("timeout", spec.timeoutMs())
        .bind("maxInFlight", spec.maxInFlight())
        .bind("initialDelay", spec.initialDelayMs())
        .bind("onDeadLetter", spec.pauseOnDeadLetter() ? 1 : 0)
        .bind("scheme", spec.signatureScheme())
        .bind("retryPolicy", spec.retryPolicy())
        .bind("filter", spec.filter())
        .bind("transform", spec.transform())
        .bind("forward", ForwardedHeaders.encode(spec.forwardHeaders()))
        .bind("useApplicationSecret", spec.useApplicationSecret())
        .bind("now", nowMs);
  }

  void update(Handle handle, Endpoint before, EndpointSpec spec, long nowMs) {
    boolean disabling = spec.disabled() && !before.spec().disabled();
    bind(
            handle.createUpdate(
                """
                UPDATE endpoints SET uid = :uid, url = :url, method = :method, description = :description,
                  metadata = :metadata, disabled = :disabled, disabled_reason = :disabledReason, disabled_at = :disabledAt,
                  shown_version = :shownVersion, throttle_rate = :throttle, timeout_ms = :timeout, max_in_flight = :maxInFlight,
                  initial_delay_ms = :initialDelay, on_dead_letter = :onDeadLetter, signature_scheme = :scheme,
                  retry_policy = :retryPolicy, filter = :filter, transform = :transform, forward_headers = :forward,
                  use_application_secret = :useApplicationSecret, version = version + 1, updated_at = :now
                WHERE id = :id
                """),
            spec,
            nowMs)
        .bind("id", before.id())
        .bind(
            "disabledReason",
            disabling
                ? EndpointStore.DISABLED_BY_USER
                : spec.disabled() ? before.disabledReason() : null)
        .bind(
            "disabledAt", disabling ? (Long) nowMs : spec.disabled() ? before.disabledAtMs() : null)
        .execute();
    updateLane(handle, before, spec);
    if (!spec.subscriptions().equals(before.spec().subscriptions())) {
      replaceTexts(handle, Texts.SUBSCRIPTIONS, before, spec.subscriptions());
    }
    if (!spec.channels().equals(before.spec().channels())) {
      replaceTexts(handle, Texts.CHANNELS, before, spec.channels());
    }
  }

  private static void updateLane(Handle handle, Endpoint before, EndpointSpec spec) {
    if (spec.paused() != before.spec().paused() || spec.ordered() != before.spec().ordered()) {
      handle
          .createUpdate("UPDATE lanes SET paused = :paused, ordered = :ordered WHERE id = :id")
          .bind("id", before.id())
          .bind("paused", spec.paused())
          .bind("ordered", spec.ordered())
          .execute();
    }
    if (before.spec().disabled() && !spec.disabled()) {
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
      Handle handle, Texts texts, Id applicationId, Id endpointId, List<String> values) {
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
