package dev.postrider.configfile.plan;

import dev.postrider.config.Quantities;
import dev.postrider.configfile.Document;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.Grant;
import dev.postrider.tenant.Secrecy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Plans the changes of applications. An application that is removed from the file is deleted only
 * if it contains nothing that the file does not own.
 *
 * @param needed applications that sources and endpoints of the file belong to
 * @param grants what the endpoints of the file need, by application
 */
record ApplicationReconciler(
    String environmentId,
    ApplicationStore store,
    EndpointStore endpoints,
    AgentRouteStore routes,
    Set<String> needed,
    Map<String, Grant> grants,
    List<Document.NamedApplication> entries)
    implements Reconciler {

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named =
        entries.stream().map(Document.NamedApplication::uid).collect(Collectors.toSet());
    plan.owned(Kind.APPLICATION)
        .forEach(
            (uid, id) -> {
              if (named.contains(uid)) {
                return;
              }
              Application found = store.find(environmentId, uid);
              if (found == null
                  || !found.id().value().equals(id)
                  || needed.contains(uid)
                  || isUsedByOthers(plan, found)) {
                plan.release(Kind.APPLICATION, uid);
              } else {
                plan.delete(Kind.APPLICATION, uid, () -> store.delete(environmentId, uid));
              }
            });
  }

  /** Whether it has endpoints that did not come from the file. */
  private boolean isUsedByOthers(PlanBuilder plan, Application application) {
    Set<Id> mine = new HashSet<>(plan.owned(Kind.ENDPOINT).values());
    Set<Id> mineByRoutes = Set.copyOf(plan.owned(Kind.ROUTE).values());
    for (AgentRoute route : routes.all(application.id())) {
      if (route.url() != null && mineByRoutes.contains(route.id().value())) {
        mine.add(Objects.requireNonNull(route.endpointId()).value());
      }
    }
    Keyset<Id> page = Keyset.first(Keyset.MAX_LIMIT, true);
    while (true) {
      Keyset.Page<Endpoint> found = endpoints.list(application.id(), page);
      if (found.items().stream().anyMatch(endpoint -> !mine.contains(endpoint.id().value()))) {
        return true;
      }
      if (found.done() || found.items().isEmpty()) {
        return false;
      }
      page = new Keyset<>(Keyset.MAX_LIMIT, found.items().getLast().id().value(), false, true);
    }
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.NamedApplication entry : entries) {
      Application found = store.find(environmentId, entry.uid());
      if (found == null) {
        plan.create(
            entry,
            Kind.APPLICATION,
            entry.uid(),
            () -> store.create(environmentId, entry.spec()).id().value());
        continue;
      }
      ApplicationSpec after = onto(found.spec(), entry);
      plan.update(
          entry,
          Kind.APPLICATION,
          entry.uid(),
          found.id().value(),
          difference(found.spec(), after),
          () ->
              Objects.requireNonNull(
                  store.update(environmentId, entry.uid(), before -> onto(before, entry))));
    }
  }

  private ApplicationSpec onto(ApplicationSpec before, Document.NamedApplication entry) {
    ApplicationSpec wanted = entry.spec();
    Boolean active = entry.active();
    Grant grant =
        before
            .settings()
            .grant()
            .overriddenBy(wanted.settings().grant())
            .raisedTo(grants.getOrDefault(entry.uid(), Grant.DEFAULT));
    return new ApplicationSpec(
        wanted.uid(),
        wanted.name(),
        wanted.metadata(),
        wanted.throttleRate(),
        active == null ? before.active() : active,
        wanted.settings().with(grant).with(before.settings().secrecy()));
  }

  private static @Nullable String window(ApplicationSettings settings) {
    Integer ms = settings.idempotencyWindowMs();
    return ms == null ? null : Quantities.show(Duration.ofMillis(ms));
  }

  /** Blanks and the order of keys do not matter. */
  private static JsonNode json(String text) {
    return Json.MAPPER.readTree(text);
  }

  private static Difference difference(ApplicationSpec before, ApplicationSpec after) {
    Grant old = before.settings().grant();
    Grant grant = after.settings().grant();
    Secrecy secrecy = before.settings().secrecy();
    Secrecy wanted = after.settings().secrecy();
    return new Difference()
        .of("name", before.name(), after.name())
        .of("metadata", json(before.metadata()), json(after.metadata()))
        .of("throttle", before.throttleRate(), after.throttleRate())
        .of("active", before.active(), after.active())
        .of("retry", before.settings().retryPolicy(), after.settings().retryPolicy())
        .of("max_endpoints", before.settings().maxEndpoints(), after.settings().maxEndpoints())
        .of("max_in_flight", old.maxInFlight(), grant.maxInFlight())
        .of("timeout_ms", old.timeoutMs(), grant.timeoutMs())
        .of("ordering", old.fifo(), grant.fifo())
        .of("idempotency_window", window(before.settings()), window(after.settings()))
        .of("hide_secrets", secrecy.hideSecrets(), wanted.hideSecrets())
        .of("own_data_key", secrecy.ownDataKey(), wanted.ownDataKey())
        .of("retention", before.settings().retention(), after.settings().retention());
  }
}
