package dev.postrider.configfile.plan;

import dev.postrider.configfile.Document;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRoute.Target;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.RouteId;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Plans the changes of agent routes. A source and event type have at most one route with a URL, so
 * that its URL can be changed.
 */
record RouteReconciler(
    String environmentId,
    ApplicationStore applications,
    EndpointStore endpoints,
    AgentRouteStore store,
    List<Document.Route> entries)
    implements Reconciler {

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named = entries.stream().map(Document.Route::name).collect(Collectors.toSet());
    plan.owned(Kind.ROUTE)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              Application application =
                  applications.find(environmentId, name.substring(0, name.indexOf('/')));
              AgentRoute found =
                  application == null ? null : store.find(application.id(), new RouteId(id));
              if (found == null) {
                plan.release(Kind.ROUTE, name);
              } else {
                plan.delete(
                    Kind.ROUTE, name, () -> store.delete(found.applicationId(), found.id()));
              }
            });
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    Map<String, Existing> bySource = new HashMap<>();
    Map<Document.Route, AgentRoute> same = new HashMap<>();
    Set<Id> taken = new HashSet<>();
    for (Document.Route entry : entries) {
      Existing existing =
          bySource.computeIfAbsent(entry.spec().source(), source -> Existing.of(routesOf(source)));
      AgentRoute found = existing.like(entry.spec(), handler(entry.spec()));
      if (found != null) {
        same.put(entry, found);
        taken.add(found.id().value());
      }
    }
    for (Document.Route entry : entries) {
      AgentRoute found = same.get(entry);
      if (found == null) {
        // Others may have changed what had this name when a file was applied last.
        Id known = plan.known(Kind.ROUTE, entry.name());
        found =
            known == null || taken.contains(known)
                ? null
                : Objects.requireNonNull(bySource.get(entry.spec().source())).byId().get(known);
      }
      wanted(plan, entry, found);
    }
  }

  private void wanted(PlanBuilder plan, Document.Route entry, @Nullable AgentRoute found) {
    AgentRoute.Spec spec = entry.spec();
    if (found == null) {
      plan.create(entry, Kind.ROUTE, entry.name(), () -> create(spec));
      return;
    }
    plan.update(
        entry,
        Kind.ROUTE,
        entry.name(),
        found.id().value(),
        difference(found, spec, handler(spec)),
        () -> Objects.requireNonNull(store.update(application(spec), found.id(), _ -> spec)));
  }

  /** The agent routes of a source that exist on the server. */
  private record Existing(Map<String, List<AgentRoute>> byPattern, Map<Id, AgentRoute> byId) {
    static Existing of(List<AgentRoute> routes) {
      return new Existing(
          routes.stream().collect(Collectors.groupingBy(AgentRoute::pattern)),
          routes.stream().collect(Collectors.toMap(route -> route.id().value(), route -> route)));
    }

    /**
     * The route of the same event type and target.
     *
     * @param handler the endpoint that the entry names
     */
    @Nullable AgentRoute like(AgentRoute.Spec spec, @Nullable Id handler) {
      for (AgentRoute route : byPattern.getOrDefault(spec.pattern(), List.of())) {
        boolean same =
            switch (spec.target()) {
              case Target.AllEndpoints() -> route.endpointId() == null;
              case Target.OneEndpoint _ ->
                  route.url() == null
                      && handler != null
                      && handler.equals(RouteReconciler.id(route.endpointId()));
              case Target.OwnEndpoint(String url) -> url.equals(route.url());
            };
        if (same) {
          return route;
        }
      }
      return null;
    }
  }

  /** The endpoint that the entry names; null if it names none, or one that is still to be made. */
  private @Nullable Id handler(AgentRoute.Spec spec) {
    Application application = applications.find(environmentId, spec.source());
    Endpoint endpoint =
        application != null && spec.target() instanceof Target.OneEndpoint(String uid)
            ? endpoints.find(application.id(), uid)
            : null;
    return endpoint == null ? null : endpoint.id().value();
  }

  private Id create(AgentRoute.Spec spec) {
    return Objects.requireNonNull(store.create(application(spec), spec)).id().value();
  }

  private Application application(AgentRoute.Spec spec) {
    return Objects.requireNonNull(applications.find(environmentId, spec.source()));
  }

  private List<AgentRoute> routesOf(String source) {
    Application application = applications.find(environmentId, source);
    return application == null
        ? List.of()
        : store.all(application.id()).stream()
            .filter(route -> route.source().equals(source))
            .toList();
  }

  private static Difference difference(
      AgentRoute before, AgentRoute.Spec after, @Nullable Id handler) {
    return new Difference()
        .of("event", before.pattern(), after.pattern())
        .of("agent_intent", before.instructions().agentIntent(), after.instructions().agentIntent())
        .of(
            "target_session",
            before.instructions().targetSession(),
            after.instructions().targetSession())
        .of(
            "session",
            before.instructions().sessionExpression(),
            after.instructions().sessionExpression())
        .of(
            "session_header",
            before.instructions().sessionHeader(),
            after.instructions().sessionHeader())
        .of("annotations", before.instructions().annotations(), after.instructions().annotations())
        .of(
            "profile",
            before.instructions().profile().text(),
            after.instructions().profile().text())
        .of("handler", before.url() == null ? text(id(before.endpointId())) : null, text(handler))
        .of(
            "url",
            before.url(),
            after.target() instanceof Target.OwnEndpoint(String url) ? url : null);
  }

  private static @Nullable Id id(@Nullable EndpointId endpoint) {
    return endpoint == null ? null : endpoint.value();
  }

  private static @Nullable String text(@Nullable Id endpoint) {
    return endpoint == null ? null : endpoint.text(IdKind.ENDPOINT);
  }
}
