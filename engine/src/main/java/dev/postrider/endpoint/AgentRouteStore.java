package dev.postrider.endpoint;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.endpoint.AgentRoute.Target;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.id.RouteId;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.LimitReached;
import dev.postrider.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes agent routes. A change locks the application, and increments its routing version
 * (the next message is planned with the new routes) and the versions of its endpoints (the next
 * send uses them). The endpoint that a route owns is written in the same transaction.
 */
public final class AgentRouteStore {
  /** Maximum number of routes of an application. */
  public static final int MAX_ROUTES = 10_000;

  /** Thrown when another route has the same source, event type pattern and target. */
  public static final class RouteTaken extends RuntimeException {
    @java.io.Serial private static final long serialVersionUID = 1L;

    RouteTaken(AgentRoute.Spec spec) {
      super(
          "%s of %s already has a route%s; change that route"
              .formatted(spec.pattern(), spec.source(), to(spec.target())));
    }

    private static String to(Target target) {
      return switch (target) {
        case Target.AllEndpoints() -> "";
        case Target.OneEndpoint(String idOrUid) -> " to the endpoint " + idOrUid;
        case Target.OwnEndpoint(String url) -> " to " + url;
      };
    }
  }

  private final Database database;
  private final EndpointStore endpoints;
  private final Ids ids;
  private final TimeSource time;
  private final SigningKeyGenerator generator;
  private final AgentRouteRows rows;

  /**
   * @param endpoints on the same database
   */
  public AgentRouteStore(
      Database database,
      EndpointStore endpoints,
      Ids ids,
      TimeSource time,
      SigningKeyGenerator generator) {
    this.database = database;
    this.endpoints = endpoints;
    this.ids = ids;
    this.time = time;
    this.generator = generator;
    this.rows = new AgentRouteRows(database.dialect());
  }

  /**
   * A written route.
   *
   * @param notices changes of the endpoint that the route owns, to be published after the commit
   */
  private record Result(AgentRoute route, List<EndpointStore.Notice> notices) {}

  private Optional<AgentRoute> published(Optional<Result> committed) {
    committed.ifPresent(result -> result.notices().forEach(endpoints::publish));
    return committed.map(Result::route);
  }

  /**
   * @return null if the application is gone
   * @throws RouteTaken if there is one for the same source, pattern and target
   * @throws InvalidFields if the application does not have the endpoint
   * @throws LimitReached if there are too many routes, or too many endpoints for one more
   */
  public @Nullable AgentRoute create(Application application, AgentRoute.Spec spec) {
    RouteId id = new RouteId(ids.next());
    EndpointStore.SealedEndpoint fresh = sealed(application, spec);
    return published(
            database.write(
                handle ->
                    lock(handle, application.id())
                        .map(locked -> insert(handle, locked, id, spec, fresh))))
        .orElse(null);
  }

  private Result insert(
      Handle handle,
      Application application,
      RouteId id,
      AgentRoute.Spec spec,
      EndpointStore.@Nullable SealedEndpoint fresh) {
    EndpointId endpointId = endpointOf(handle, application, null, spec.target(), fresh);
    refuseTaken(handle, application.id(), id, spec, endpointId);
    refuseTooMany(handle, application.id());
    List<EndpointStore.Notice> notices =
        fresh == null ? List.of() : List.of(endpoints.insert(handle, application, fresh));
    rows.insert(handle, id, application.id(), spec, endpointId, time.nowMs());
    return new Result(rows.find(handle, application.id(), id).orElseThrow(), notices);
  }

  /** An endpoint for a route that owns one, sealed outside the transaction; else null. */
  private EndpointStore.@Nullable SealedEndpoint sealed(
      Application application, AgentRoute.Spec spec) {
    return spec.target() instanceof Target.OwnEndpoint(String url)
        ? endpoints.seal(
            application,
            new EndpointStore.NewEndpoint(
                ownSpec(
                    EndpointSpec.of("")
                        .with(EndpointFields.DESCRIPTION, "Target of an agent route"),
                    url,
                    spec.pattern()),
                generator.first(),
                Map.of()))
        : null;
  }

  /** The settings of the endpoint that a route owns. */
  private static EndpointSpec ownSpec(EndpointSpec before, String url, String pattern) {
    return before
        .with(EndpointFields.URL, url)
        .with(EndpointFields.SUBSCRIPTIONS, List.of(pattern));
  }

  /** The endpoint that the route is for from now on; null if it is for all. */
  private @Nullable EndpointId endpointOf(
      Handle handle,
      Application application,
      @Nullable AgentRoute before,
      Target target,
      EndpointStore.@Nullable SealedEndpoint fresh) {
    return switch (target) {
      case Target.AllEndpoints() -> null;
      case Target.OneEndpoint(String idOrUid) ->
          endpoints
              .find(handle, application.id(), idOrUid)
              .orElseThrow(() -> new InvalidFields(Problem.inBody("endpoint", unknown(idOrUid))))
              .id();
      case Target.OwnEndpoint _ ->
          before != null && before.url() != null
              ? before.endpointId()
              : Objects.requireNonNull(fresh).id();
    };
  }

  /** What is wrong with a name that no endpoint of the application has. */
  public static String unknown(String idOrUid) {
    return "the application does not have the endpoint %s; use the id or uid of one of its endpoints"
        .formatted(idOrUid);
  }

  /**
   * @param change a pure function, for the transaction may be re-run
   * @return null if there is no such route
   */
  public @Nullable AgentRoute update(
      Application application, RouteId id, UnaryOperator<AgentRoute.Spec> change) {
    AgentRoute now = find(application.id(), id);
    if (now == null) {
      return null;
    }
    // Used only if the change is what gives the route an endpoint of its own.
    EndpointStore.SealedEndpoint fresh = sealed(application, change.apply(now.spec()));
    Actor actor = Actor.current();
    return published(
            database.write(
                handle ->
                    lock(handle, application.id())
                        .flatMap(
                            locked ->
                                rows.find(handle, locked.id(), id)
                                    .map(
                                        before ->
                                            update(handle, actor, locked, before, change, fresh)))))
        .orElse(null);
  }

  private Result update(
      Handle handle,
      Actor actor,
      Application application,
      AgentRoute before,
      UnaryOperator<AgentRoute.Spec> change,
      EndpointStore.@Nullable SealedEndpoint fresh) {
    AgentRoute.Spec spec = change.apply(before.spec());
    EndpointId endpointId = endpointOf(handle, application, before, spec.target(), fresh);
    if (before.url() != null && Objects.equals(before.endpointId(), endpointId)) {
      // Binding a route to the endpoint that it owns changes nothing.
      spec = spec.target() instanceof Target.OwnEndpoint ? spec : spec.withTarget(before.target());
    }
    refuseTaken(handle, application.id(), before.id(), spec, endpointId);
    List<EndpointStore.Notice> notices = writeOwn(handle, application, before, spec, fresh);
    rows.update(handle, before.id(), spec, endpointId, time.nowMs());
    if (before.url() != null && !Objects.equals(before.endpointId(), endpointId)) {
      // After the route's own row, or the route would go with the endpoint.
      notices = List.of(deleteOwn(handle, actor, application, before));
    }
    return new Result(rows.find(handle, application.id(), before.id()).orElseThrow(), notices);
  }

  /** Creates or changes the endpoint that the route owns from now on, if it does. */
  private List<EndpointStore.Notice> writeOwn(
      Handle handle,
      Application application,
      AgentRoute before,
      AgentRoute.Spec spec,
      EndpointStore.@Nullable SealedEndpoint fresh) {
    if (!(spec.target() instanceof Target.OwnEndpoint(String url))) {
      return List.of();
    }
    if (before.url() == null) {
      EndpointStore.SealedEndpoint sealed = Objects.requireNonNull(fresh);
      // Another change of the route may have been committed since it was sealed.
      return List.of(
          endpoints.insert(
              handle, application, sealed.with(ownSpec(sealed.spec(), url, spec.pattern()))));
    }
    if (url.equals(before.url()) && spec.pattern().equals(before.pattern())) {
      return List.of();
    }
    return endpoints
        .update(
            handle,
            application,
            ownText(before),
            endpoint -> ownSpec(endpoint, url, spec.pattern()))
        .stream()
        .toList();
  }

  private static String ownText(AgentRoute route) {
    return Objects.requireNonNull(route.endpointId()).text();
  }

  private EndpointStore.Notice deleteOwn(
      Handle handle, Actor actor, Application application, AgentRoute route) {
    return endpoints
        .delete(handle, actor, AuditAction.ENDPOINT_DELETE, application, ownText(route))
        .orElseThrow();
  }

  /** Deletes the route and the endpoint that it owns; false if there is none. */
  public boolean delete(ApplicationId applicationId, RouteId id) {
    Actor actor = Actor.current();
    return published(
            database.write(
                handle ->
                    lock(handle, applicationId)
                        .flatMap(
                            application ->
                                rows.find(handle, applicationId, id)
                                    .map(route -> delete(handle, actor, application, route)))))
        .isPresent();
  }

  private Result delete(Handle handle, Actor actor, Application application, AgentRoute route) {
    rows.delete(handle, application.id(), route.id(), time.nowMs());
    audit(handle, ids, actor, route);
    return new Result(
        route,
        route.url() == null ? List.of() : List.of(deleteOwn(handle, actor, application, route)));
  }

  /** Writes the audit log entry of a deleted route. */
  static void audit(Handle handle, Ids ids, Actor actor, AgentRoute route) {
    AuditRows.ofApplication(
        handle,
        ids.next(),
        actor,
        AuditAction.ROUTE_DELETE,
        new ApplicationId(route.applicationId().value()),
        route.id().text());
  }

  public @Nullable AgentRoute find(ApplicationId applicationId, RouteId id) {
    return database.read(handle -> rows.find(handle, applicationId, id)).orElse(null);
  }

  /** The application's live routes. */
  public Keyset.Page<AgentRoute> list(ApplicationId applicationId, Keyset<Id> keyset) {
    return database.read(handle -> keyset.page(rows.list(handle, applicationId, keyset)));
  }

  /** All live routes of the application, the oldest first. */
  public List<AgentRoute> all(ApplicationId applicationId) {
    return database.read(handle -> rows.all(handle, applicationId));
  }

  /** The same, ready to be searched, within the caller's transaction. */
  static AgentRoutes live(Handle handle, Dialect dialect, ApplicationId applicationId) {
    List<AgentRoute> routes = new AgentRouteRows(dialect).all(handle, applicationId);
    return routes.isEmpty() ? AgentRoutes.NONE : new AgentRoutes(routes);
  }

  /** The live routes of one application. */
  public AgentRoutes of(ApplicationId applicationId) {
    return database.read(handle -> live(handle, database.dialect(), applicationId));
  }

  /**
   * The routes of deliveries of stored messages to one endpoint, within the caller's transaction.
   *
   * @return from an event type to the route, null if there is none
   */
  public static Function<String, @Nullable AgentRoute> to(
      Handle handle, Dialect dialect, Endpoint endpoint) {
    AgentRoutes routes = live(handle, dialect, endpoint.applicationId());
    String source =
        ApplicationRows.byId(handle, dialect, new ApplicationId(endpoint.applicationId().value()))
            .map(application -> application.spec().uid())
            .orElse(null);
    return eventType -> routes.of(source, eventType).to(endpoint.id());
  }

  private Optional<Application> lock(Handle handle, ApplicationId applicationId) {
    Optional<Application> locked =
        ApplicationRows.lockAndBump(
            handle, database.dialect(), new ApplicationId(applicationId.value()));
    if (locked.isPresent()) {
      handle
          .createUpdate(
              "UPDATE endpoints SET version = version + 1 WHERE application_id = :application AND"
                  + " deleted_at IS NULL")
          .bind("application", applicationId)
          .execute();
    }
    return locked;
  }

  /** Two routes that own endpoints are the same if these have the same URL. */
  private void refuseTaken(
      Handle handle,
      ApplicationId applicationId,
      RouteId own,
      AgentRoute.Spec spec,
      @Nullable EndpointId endpointId) {
    for (AgentRoute other : rows.named(handle, applicationId, spec.source(), spec.pattern())) {
      boolean same =
          Objects.equals(other.endpointId(), endpointId)
              || (spec.target() instanceof Target.OwnEndpoint(String url)
                  && url.equals(other.url()));
      if (same && !other.id().equals(own)) {
        throw new RouteTaken(spec);
      }
    }
  }

  private void refuseTooMany(Handle handle, ApplicationId applicationId) {
    if (rows.count(handle, applicationId) >= MAX_ROUTES) {
      throw new LimitReached(
          "the application already has %d routes, which is the limit; delete one"
              .formatted(MAX_ROUTES));
    }
  }
}
