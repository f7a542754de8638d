package dev.postrider.endpoint;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.RouteId;
import dev.postrider.json.Json;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** The statements on agent routes; all run in the caller's transaction. */
final class AgentRouteRows {
  private static final String SELECT =
      """
      SELECT r.id, r.application_id, r.source, r.pattern, r.agent_intent, r.target_session, r.session_expression,
             r.session_header, r.annotations, r.profile, r.endpoint_id, CASE WHEN r.own_endpoint THEN e.url END AS url,
             r.created_at, r.updated_at
        FROM agent_routes r LEFT JOIN endpoints e ON e.id = r.endpoint_id
       WHERE r.application_id = :application AND r.deleted_at IS NULL
      """;

  private final Dialect dialect;

  AgentRouteRows(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The application's live routes. */
  List<AgentRoute> all(Handle handle, ApplicationId applicationId) {
    return routes(handle.createQuery(SELECT + " ORDER BY r.id"), applicationId);
  }

  List<AgentRoute> list(Handle handle, ApplicationId applicationId, Keyset<Id> keyset) {
    String beyond = keyset.from() == null ? "" : " AND r.id <beyond> :from";
    Query query =
        handle
            .createQuery(keyset.apply(SELECT + beyond + " ORDER BY r.id <way> LIMIT :fetch"))
            .bind("fetch", keyset.fetch());
    if (keyset.from() != null) {
      query.bind("from", keyset.from());
    }
    return routes(query, applicationId);
  }

  Optional<AgentRoute> find(Handle handle, ApplicationId applicationId, RouteId id) {
    return routes(
            handle.createQuery(SELECT + " AND r.id = :route").bind("route", id), applicationId)
        .stream()
        .findFirst();
  }

  /** The routes of one source and pattern, whatever they are for. */
  List<AgentRoute> named(
      Handle handle, ApplicationId applicationId, String source, String pattern) {
    return routes(
        handle
            .createQuery(SELECT + " AND r.source = :source AND r.pattern = :pattern")
            .bind("source", source)
            .bind("pattern", pattern),
        applicationId);
  }

  /** The routes that are bound to an endpoint, or own it. */
  List<AgentRoute> boundTo(Handle handle, ApplicationId applicationId, EndpointId endpointId) {
    return routes(
        handle
            .createQuery(SELECT + " AND r.endpoint_id = :endpoint ORDER BY r.id")
            .bind("endpoint", endpointId),
        applicationId);
  }

  private List<AgentRoute> routes(Query query, ApplicationId applicationId) {
    return query
        .bind("application", applicationId)
        .map(Row.mapper(dialect, AgentRouteRows::route))
        .list();
  }

  int count(Handle handle, ApplicationId applicationId) {
    return handle
        .createQuery(
            "SELECT count(*) FROM agent_routes WHERE application_id = :application AND deleted_at"
                + " IS NULL")
        .bind("application", applicationId)
        .mapTo(Integer.class)
        .one();
  }

  void insert(
      Handle handle,
      RouteId id,
      ApplicationId applicationId,
      AgentRoute.Spec spec,
      @Nullable EndpointId endpointId,
      long nowMs) {
    bind(
            handle.createUpdate(
                """
                INSERT INTO agent_routes (id, application_id, source, pattern, agent_intent, target_session,
                  session_expression, session_header, annotations, profile, endpoint_id, own_endpoint, created_at, updated_at)
                VALUES (:id, :application, :source, :pattern, :intent, :target, :expression, :header,
                  :annotations, :profile, :endpoint, :own, :now, :now)
                """),
            spec,
            endpointId)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("now", nowMs)
        .execute();
  }

  void update(
      Handle handle,
      RouteId id,
      AgentRoute.Spec spec,
      @Nullable EndpointId endpointId,
      long nowMs) {
    bind(
            handle.createUpdate(
                """
                UPDATE agent_routes SET source = :source, pattern = :pattern, agent_intent = :intent,
                  target_session = :target, session_expression = :expression, session_header = :header,
                  annotations = :annotations, profile = :profile, endpoint_id = :endpoint, own_endpoint = :own,
                  updated_at = :now
                 WHERE id = :id
                """),
            spec,
            endpointId)
        .bind("id", id)
        .bind("now", nowMs)
        .execute();
  }

  /** The row stays for the deliveries that name it. */
  void delete(Handle handle, ApplicationId applicationId, RouteId id, long nowMs) {
    handle
        .createUpdate(
            """
            UPDATE agent_routes SET deleted_at = :now
             WHERE id = :id AND application_id = :application AND deleted_at IS NULL
            """)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("now", nowMs)
        .execute();
  }

  private static <S extends SqlStatement<S>> S bind(
      S statement, AgentRoute.Spec spec, @Nullable EndpointId endpointId) {
    return statement
        .bind("source", spec.source())
        .bind("pattern", spec.pattern())
        .bind("intent", spec.instructions().agentIntent())
        .bind("target", spec.instructions().targetSession())
        .bind("expression", spec.instructions().sessionExpression())
        .bind("header", spec.instructions().sessionHeader())
        .bind("annotations", Json.write(spec.instructions().annotations()))
        .bind("profile", spec.instructions().profile().code())
        .bindByType("endpoint", endpointId, Id.class)
        .bind("own", spec.target() instanceof AgentRoute.Target.OwnEndpoint);
  }

  private static AgentRoute route(Row row) throws SQLException {
    return new AgentRoute(
        new RouteId(row.id("id")),
        new ApplicationId(row.id("application_id")),
        row.text("source"),
        row.text("pattern"),
        new AgentRoute.Instructions(
            row.text("agent_intent"),
            row.textOrNull("target_session"),
            row.textOrNull("session_expression"),
            row.textOrNull("session_header"),
            Json.texts(row.text("annotations")),
            AgentRoute.Profile.of(row.integer("profile"))),
        EndpointId.orNull(row.idOrNull("endpoint_id")),
        row.textOrNull("url"),
        row.time("created_at"),
        row.time("updated_at"));
  }
}
