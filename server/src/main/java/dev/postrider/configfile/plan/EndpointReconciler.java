package dev.postrider.configfile.plan;

import dev.postrider.configfile.Document;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.Grant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Plans the changes of handlers and endpoints. A changed endpoint keeps its deliveries and history;
 * an endpoint that is removed from the file is deleted.
 *
 * @param expected applications that will exist once the file is applied
 */
record EndpointReconciler(
    String environmentId,
    ApplicationStore applications,
    EndpointStore store,
    EndpointSecrets secrets,
    SigningKeyGenerator generator,
    Set<String> expected,
    List<Document.Receiver> entries)
    implements Reconciler {

  static String name(Document.Receiver entry) {
    return entry.application() + "/" + entry.uid();
  }

  /** What has to be granted to each application for the endpoints of the file. */
  static Map<String, Grant> neededGrants(List<Document.Receiver> entries) {
    return entries.stream()
        .collect(
            Collectors.toMap(
                Document.Receiver::application,
                entry -> entry.spec().neededGrant(),
                Grant::raisedTo));
  }

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named = entries.stream().map(EndpointReconciler::name).collect(Collectors.toSet());
    plan.owned(Kind.ENDPOINT)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              int slash = name.indexOf('/');
              Application application = applications.find(environmentId, name.substring(0, slash));
              Endpoint found =
                  application == null
                      ? null
                      : store.find(application.id(), name.substring(slash + 1));
              if (found == null || !found.id().value().equals(id)) {
                plan.release(Kind.ENDPOINT, name);
              } else {
                plan.delete(
                    Kind.ENDPOINT,
                    name,
                    () -> store.delete(found.applicationId(), name.substring(slash + 1)));
              }
            });
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.Receiver entry : entries) {
      Application application = applications.find(environmentId, entry.application());
      if (application == null && !expected.contains(entry.application())) {
        plan.problem(
            entry,
            "the application %s is neither in this file nor on the server; add applications: { %s: {} }"
                .formatted(entry.application(), entry.application()));
        continue;
      }
      Endpoint found = application == null ? null : store.find(application.id(), entry.uid());
      if (application == null || found == null) {
        plan.create(entry, Kind.ENDPOINT, name(entry), () -> create(entry));
      } else {
        compare(plan, entry, application, found);
      }
    }
  }

  private Id create(Document.Receiver entry) {
    Application application = present(entry);
    EndpointSpec spec = entry.spec();
    applications.raiseGrant(application, spec.neededGrant());
    SigningKey given = entry.signingKey();
    SigningKey key = given == null ? generator.first(entry.scheme()) : given;
    return Objects.requireNonNull(
            store.create(application, new NewEndpoint(spec, key, entry.headers())))
        .id()
        .value();
  }

  private Application present(Document.Receiver entry) {
    return Objects.requireNonNull(applications.find(environmentId, entry.application()));
  }

  private void compare(
      PlanBuilder plan, Document.Receiver entry, Application application, Endpoint found) {
    EndpointSpec after = onto(found.spec(), entry);
    Grant needed = after.neededGrant();
    if (after.differs(EndpointFields.ORDERED, found.spec())) {
      plan.problem(
          entry,
          "ordering cannot be changed after creation; create an endpoint with another name"
              + " instead");
      return;
    }
    boolean otherHeaders = !secrets.headers(application, found).equals(entry.headers());
    SigningKey key = changedKey(entry, application, found);
    Difference difference =
        new Difference().of(EndpointFields.ALL, found.spec().values(), after.values());
    boolean otherSpec = !difference.isEmpty();
    difference.of("granted", application.spec().settings().grant().covers(needed), true);
    difference
        .secret(EndpointFields.HEADERS, otherHeaders)
        .secret(EndpointFields.SECRET, key != null);
    plan.update(
        entry,
        Kind.ENDPOINT,
        name(entry),
        found.id().value(),
        difference,
        () -> {
          applications.raiseGrant(present(entry), needed);
          if (otherSpec) {
            store.update(application.id(), entry.uid(), before -> onto(before, entry));
          }
          if (otherHeaders) {
            secrets.putHeaders(application, found, entry.headers());
          }
          if (key != null) {
            secrets.rotate(application, found, key, EndpointSecrets.DEFAULT_OVERLAP);
          }
        });
  }

  /** The key that replaces the endpoint's; null if it stays. */
  private @Nullable SigningKey changedKey(
      Document.Receiver entry, Application application, Endpoint found) {
    SigningKey given = entry.signingKey();
    if (given == null && !entry.spec().differs(EndpointFields.SIGNATURE_SCHEME, found.spec())) {
      return null;
    }
    SigningKey current = secrets.current(application, found);
    if (given != null) {
      return differs(given, current) ? given : null;
    }
    SignatureScheme wanted = entry.scheme();
    return current == null || wanted.canSignWith(current) ? null : generator.next(wanted, current);
  }

  private static boolean differs(SigningKey key, @Nullable SigningKey current) {
    return current == null || !key.text().equals(current.text());
  }

  /** What the file does not have stays as others set it. */
  private static EndpointSpec onto(EndpointSpec before, Document.Receiver entry) {
    return new EndpointSpec(entry.values().onto(EndpointFields.ALL, before.values()));
  }
}
