package dev.postrider.file;

import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.id.Id;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Agent routes, each named by its source and event type. */
record RoutePart(
    String environmentId,
    ApplicationStore applications,
    AgentRouteStore store,
    List<Document.Route> entries)
    implements Part {

  private static String name(String source, String pattern) {
    return source + "/" + pattern;
  }

  private static String name(Document.Route entry) {
    return name(entry.spec().source(), entry.spec().pattern());
  }

  @Override
  public void gone(Draft draft) {
    Set<String> named = entries.stream().map(RoutePart::name).collect(Collectors.toSet());
    draft
        .owned(Kind.ROUTE)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              Application application =
                  applications.find(environmentId, name.substring(0, name.indexOf('/')));
              AgentRoute found = application == null ? null : store.find(application.id(), id);
              if (found == null) {
                draft.release(Kind.ROUTE, name);
              } else {
                draft.delete(
                    Kind.ROUTE, name, () -> store.delete(found.applicationId(), found.id()));
              }
            });
  }

  @Override
  public void wanted(Draft draft) {
    Map<String, Map<String, AgentRoute>> there = new HashMap<>();
    for (Document.Route entry : entries) {
      AgentRoute.Spec spec = entry.spec();
      AgentRoute found = there.computeIfAbsent(spec.source(), this::routesOf).get(spec.pattern());
      if (found == null) {
        draft.create(entry, Kind.ROUTE, name(entry), () -> create(spec));
        continue;
      }
      draft.update(
          entry,
          Kind.ROUTE,
          name(entry),
          found.id(),
          difference(found.spec(), spec),
          () -> Objects.requireNonNull(store.update(application(spec), found.id(), _ -> spec)));
    }
  }

  private Id create(AgentRoute.Spec spec) {
    return Objects.requireNonNull(store.create(application(spec), spec)).id();
  }

  private Application application(AgentRoute.Spec spec) {
    return Objects.requireNonNull(applications.find(environmentId, spec.source()));
  }

  /** By event type. */
  private Map<String, AgentRoute> routesOf(String source) {
    Map<String, AgentRoute> routes = new HashMap<>();
    Application application = applications.find(environmentId, source);
    if (application == null) {
      return routes;
    }
    Keyset<Id> keyset = Keyset.first(Keyset.MAX_LIMIT, true);
    while (true) {
      Keyset.Page<AgentRoute> page = store.list(application.id(), keyset);
      page.items().stream()
          .filter(route -> route.source().equals(source))
          .forEach(route -> routes.put(route.pattern(), route));
      if (page.done() || page.items().isEmpty()) {
        return routes;
      }
      keyset = new Keyset<>(Keyset.MAX_LIMIT, page.items().getLast().id(), false, true);
    }
  }

  private static Difference difference(AgentRoute.Spec before, AgentRoute.Spec after) {
    return new Difference()
        .of("agent_intent", before.agentIntent(), after.agentIntent())
        .of("target_session", before.targetSession(), after.targetSession())
        .of("session", before.sessionExpression(), after.sessionExpression())
        .of("session_header", before.sessionHeader(), after.sessionHeader())
        .of("annotations", before.annotations(), after.annotations())
        .of("profile", before.profile().text(), after.profile().text());
  }
}
