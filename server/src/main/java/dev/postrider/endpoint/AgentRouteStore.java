package dev.postrider.endpoint;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditRows;
import dev.postrider.audit.Deed;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.LimitReached;
import dev.postrider.time.TimeSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * The rows of routes. A change locks the application, bumps its routing version (the next message
 * is planned with the new routes) and its endpoints' versions (the next send knows of them).
 */
public final class AgentRouteStore {
  /** Routes that an application may have. */
  public static final int MAX_ROUTES = 10_000;

  /** Another route has the same source and pattern. */
  public static final class RouteTaken extends RuntimeException {
    @java.io.Serial private static final long serialVersionUID = 1L;

    RouteTaken(AgentRoute.Spec spec) {
      super(
          "%s of %s has a route already; change that one".formatted(spec.pattern(), spec.source()));
    }
  }

  private static final String SELECT =
      """
      SELECT id, application_id, source, pattern, agent_intent, target_session, session_expression, session_header,
             annotations, profile, created_at, updated_at
        FROM agent_routes
      """;

  private final Database database;
  private final Ids ids;
  private final TimeSource time;

  public AgentRouteStore(Database database, Ids ids, TimeSource time) {
    this.database = database;
    this.ids = ids;
    this.time = time;
  }

  /**
   * @return null if the application is gone
   * @throws RouteTaken if there is one for the same source and pattern
   */
  public @Nullable AgentRoute create(Application application, AgentRoute.Spec spec) {
    Id id = ids.next();
    long now = time.nowMs();
    return database
        .write(
            handle ->
                lock(handle, application.id())
                    .flatMap(
                        _ -> {
                          refuseTaken(handle, application.id(), null, spec);
                          refuseTooMany(handle, application.id());
                          bind(
                                  handle.createUpdate(
                                      """
                                      INSERT INTO agent_routes (id, application_id, source, pattern, agent_intent, target_session,
                                        session_expression, session_header, annotations, profile, created_at, updated_at)
                                      VALUES (:id, :application, :source, :pattern, :intent, :target, :expression, :header,
                                        :annotations, :profile, :now, :now)
                                      """),
                                  spec)
                              .bind("id", id)
                              .bind("application", application.id())
                              .bind("now", now)
                              .execute();
                          return find(handle, application.id(), id);
                        }))
        .orElse(null);
  }

  /**
   * @param change a pure function, for the transaction may be re-run
   * @return null if there is no such route
   */
  public @Nullable AgentRoute update(
      Id applicationId, Id id, UnaryOperator<AgentRoute.Spec> change) {
    return database
        .write(
            handle ->
                lock(handle, applicationId)
                    .flatMap(_ -> find(handle, applicationId, id))
                    .flatMap(
                        before -> {
                          AgentRoute.Spec spec = change.apply(before.spec());
                          refuseTaken(handle, applicationId, id, spec);
                          bind(
                                  handle.createUpdate(
                                      """
                                      UPDATE agent_routes SET source = :source, pattern = :pattern, agent_intent = :intent,
                                        target_session = :target, session_expression = :expression, session_header = :header,
                                        annotations = :annotations, profile = :profile, updated_at = :now
                                       WHERE id = :id
                                      """),
                                  spec)
                              .bind("id", id)
                              .bind("now", time.nowMs())
                              .execute();
                          return find(handle, applicationId, id);
                        }))
        .orElse(null);
  }

  public boolean delete(Id applicationId, Id id) {
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          if (lock(handle, applicationId).isEmpty() || !hide(handle, applicationId, id)) {
            return false;
          }
          AuditRows.ofApplication(
              handle, ids.next(), actor, Deed.ROUTE_DELETE, applicationId, id.text(IdKind.ROUTE));
          return true;
        });
  }

  private boolean hide(Handle handle, Id applicationId, Id id) {
    return handle
            .createUpdate(
                """
                UPDATE agent_routes SET deleted_at = :now
                 WHERE id = :id AND application_id = :application AND deleted_at IS NULL
                """)
            .bind("id", id)
            .bind("application", applicationId)
            .bind("now", time.nowMs())
            .execute()
        == 1;
  }

  public @Nullable AgentRoute find(Id applicationId, Id id) {
    return database.read(handle -> find(handle, applicationId, id)).orElse(null);
  }

  /** The application's live routes. */
  public Keyset.Page<AgentRoute> list(Id applicationId, Keyset<Id> keyset) {
    String beyond = keyset.from() == null ? "" : " AND id <beyond> :from";
    return database.read(
        handle -> {
          Query query =
              handle
                  .createQuery(
                      keyset.apply(
                          SELECT
                              + " WHERE application_id = :application AND deleted_at IS NULL"
                              + beyond
                              + " ORDER BY id <way> LIMIT :fetch"))
                  .bind("application", applicationId)
                  .bind("fetch", keyset.fetch());
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(
              query.map(Row.mapper(database.dialect(), AgentRouteStore::route)).list());
        });
  }

  static AgentRoutes live(Handle handle, Dialect dialect, Id applicationId) {
    List<AgentRoute> routes =
        handle
            .createQuery(SELECT + " WHERE application_id = :application AND deleted_at IS NULL")
            .bind("application", applicationId)
            .map(Row.mapper(dialect, AgentRouteStore::route))
            .list();
    return routes.isEmpty() ? AgentRoutes.NONE : new AgentRoutes(routes);
  }

  /** The live routes of one application. */
  public AgentRoutes of(Id applicationId) {
    return database.read(handle -> live(handle, database.dialect(), applicationId));
  }

  private Optional<Application> lock(Handle handle, Id applicationId) {
    Optional<Application> locked =
        ApplicationRows.lockAndBump(handle, database.dialect(), applicationId);
    if (locked.isPresent()) {
      handle
          .createUpdate(
              "UPDATE endpoints SET version = version + 1 WHERE application_id = :application AND deleted_at IS NULL")
          .bind("application", applicationId)
          .execute();
    }
    return locked;
  }

  private static void refuseTaken(
      Handle handle, Id applicationId, @Nullable Id own, AgentRoute.Spec spec) {
    Id holder =
        handle
            .createQuery(
                """
                SELECT id FROM agent_routes
                 WHERE application_id = :application AND source = :source AND pattern = :pattern AND deleted_at IS NULL
                """)
            .bind("application", applicationId)
            .bind("source", spec.source())
            .bind("pattern", spec.pattern())
            .mapTo(Id.class)
            .findOne()
            .orElse(null);
    if (holder != null && !holder.equals(own)) {
      throw new RouteTaken(spec);
    }
  }

  private static void refuseTooMany(Handle handle, Id applicationId) {
    int count =
        handle
            .createQuery(
                "SELECT count(*) FROM agent_routes WHERE application_id = :application AND deleted_at IS NULL")
            .bind("application", applicationId)
            .mapTo(Integer.class)
            .one();
    if (count >= MAX_ROUTES) {
      throw new LimitReached(
          "the application has %d routes, which is the limit; delete one".formatted(MAX_ROUTES));
    }
  }

  private Optional<AgentRoute> find(Handle handle, Id applicationId, Id id) {
    return handle
        .createQuery(
            SELECT + " WHERE id = :id AND application_id = :application AND deleted_at IS NULL")
        .bind("id", id)
        .bind("application", applicationId)
        .map(Row.mapper(database.dialect(), AgentRouteStore::route))
        .findOne();
  }

  private static <S extends SqlStatement<S>> S bind(S statement, AgentRoute.Spec spec) {
    return statement
        .bind("source", spec.source())
        .bind("pattern", spec.pattern())
        .bind("intent", spec.agentIntent())
        .bind("target", spec.targetSession())
        .bind("expression", spec.sessionExpression())
        .bind("header", spec.sessionHeader())
        .bind("annotations", Json.write(spec.annotations()))
        .bind("profile", spec.profile().code());
  }

  private static AgentRoute route(Row row) throws SQLException {
    return new AgentRoute(
        row.id("id"),
        row.id("application_id"),
        row.text("source"),
        row.text("pattern"),
        row.text("agent_intent"),
        row.textOrNull("target_session"),
        row.textOrNull("session_expression"),
        row.textOrNull("session_header"),
        Json.texts(row.text("annotations")),
        AgentRoute.Profile.of(row.integer("profile")),
        row.number("created_at"),
        row.number("updated_at"));
  }
}
