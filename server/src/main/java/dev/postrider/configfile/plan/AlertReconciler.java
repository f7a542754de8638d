package dev.postrider.configfile.plan;

import dev.postrider.alert.Alerts;
import dev.postrider.audit.AuditAction;
import dev.postrider.configfile.Document;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.id.Id;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Plans the changes of alert targets. The application that contains them is created with the first
 * target and is never deleted.
 */
record AlertReconciler(
    String environmentId,
    ApplicationStore applications,
    EndpointStore store,
    SigningKeyGenerator generator,
    List<Document.NamedAlert> entries)
    implements Reconciler {

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named = entries.stream().map(Document.NamedAlert::name).collect(Collectors.toSet());
    plan.owned(Kind.ALERT)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              Endpoint found = find(name);
              if (found == null || !found.id().value().equals(id)) {
                plan.release(Kind.ALERT, name);
              } else {
                plan.delete(
                    Kind.ALERT,
                    name,
                    () -> store.delete(found.applicationId(), name, AuditAction.ALERT_DELETE));
              }
            });
  }

  private @Nullable Endpoint find(String name) {
    Application application = applications.find(environmentId, Alerts.APPLICATION);
    return application == null ? null : store.find(application.id(), name);
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.NamedAlert entry : entries) {
      Endpoint found = find(entry.name());
      if (found == null) {
        plan.create(entry, Kind.ALERT, entry.name(), () -> create(entry));
        continue;
      }
      plan.update(
          entry,
          Kind.ALERT,
          entry.name(),
          found.id().value(),
          difference(found.spec(), entry.target().onto(found.spec())),
          () -> store.update(found.applicationId(), entry.name(), entry.target()::onto));
    }
  }

  private Id create(Document.NamedAlert entry) {
    Application application =
        applications
            .createOrGet(environmentId, ApplicationSpec.named(Alerts.APPLICATION, "Alerts"))
            .value();
    return Objects.requireNonNull(
            store.create(
                application, new NewEndpoint(entry.target().spec(), generator.first(), Map.of())))
        .id()
        .value();
  }

  /** A target's URL is a secret at Slack and Discord. */
  private static Difference difference(EndpointSpec before, EndpointSpec after) {
    return new Difference()
        .secret("url", !before.get(EndpointFields.URL).equals(after.get(EndpointFields.URL)))
        .of("type", before.get(EndpointFields.CHANNELS), after.get(EndpointFields.CHANNELS))
        .of(
            "on",
            before.get(EndpointFields.SUBSCRIPTIONS),
            after.get(EndpointFields.SUBSCRIPTIONS));
  }
}
