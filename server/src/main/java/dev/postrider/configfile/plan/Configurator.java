package dev.postrider.configfile.plan;

import dev.postrider.audit.Actor;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.Document;
import dev.postrider.configfile.FileProblems;
import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.services.ConfigurationStores;
import dev.postrider.engine.services.StorageServices;
import dev.postrider.event.DeferredEvents;
import dev.postrider.event.EventPublisher;
import dev.postrider.eventtype.EventType;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.OwnDataKeyChosen;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.Workflows;
import dev.postrider.workflow.definition.DefinitionCheck;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Applies a document to the server. Everything happens in one transaction: a document that is
 * rejected, or that fails half-way, changes nothing.
 */
public final class Configurator {
  /** Returns the problem of a URL, with the fix; null if there is none. */
  @FunctionalInterface
  public interface UrlRule {
    @Nullable String problem(String environmentId, String url);
  }

  /**
   * What a document must satisfy beyond its form.
   *
   * @param sources compiles sources, and must not wait for the threads that tenants share
   * @param maxEndpoints maximum number of enabled endpoints of an application without its own limit
   */
  public record Rules(UrlRule urls, SourceCompiler sources, int maxEndpoints) {}

  private final Database database;
  private final StorageServices storage;
  private final TimeSource time;
  private final SecureRandom random;
  private final Rules rules;
  private final EventPublisher events;

  public Configurator(
      StorageServices storage, SecureRandom random, Rules rules, EventPublisher events) {
    this.database = storage.database();
    this.storage = storage;
    this.time = storage.time();
    this.random = random;
    this.rules = rules;
    this.events = events;
  }

  /** Which file was applied last, when and by whom, and the objects that files own. */
  public record State(long version, String by, long atMs, List<Owned> items) {}

  /** An object that a configuration file owns. */
  public record Owned(Kind kind, String name, String owner) {}

  /** Null if no file was ever applied. */
  public @Nullable State state(String environmentId) {
    FileOwnershipStore owned = new FileOwnershipStore(database, time, environmentId);
    return owned
        .applied()
        .map(
            last -> {
              List<Owned> items = new ArrayList<>();
              for (Kind kind : Kind.values()) {
                owned
                    .all(kind)
                    .forEach(
                        (name, item) -> {
                          if (item.owner() != null) {
                            items.add(new Owned(kind, name, item.owner()));
                          }
                        });
              }
              return new State(last.version(), last.by(), last.atMs(), items);
            })
        .orElse(null);
  }

  /**
   * The difference, without making it.
   *
   * @throws BadFile if it could not be made
   */
  public Plan plan(String environmentId, Document document, Terms terms) {
    prepareKeys(environmentId, document);
    Plan plan =
        database.snapshot(
            handle ->
                draft(
                        new OneTransaction(database, handle),
                        new DeferredEvents(events),
                        new HashSet<>(),
                        environmentId,
                        document,
                        terms)
                    .plan());
    refuseBadUrls(environmentId, document, plan);
    return plan;
  }

  /**
   * Creates and reads the data keys: inside the transaction, that would need a second connection
   * while the first is held.
   */
  private void prepareKeys(String environmentId, Document document) {
    storage.keyring().prepare(KeyScope.ofEnvironment(environmentId));
    ApplicationStore applications =
        ConfigurationStores.in(database, events, storage, storage.keyring(), rules.maxEndpoints())
            .applications();
    for (String uid : expected(document)) {
      Application application = applications.find(environmentId, uid);
      if (application != null) {
        storage.keyring().prepare(application.keyScope());
      }
    }
  }

  /** The applications that the document describes, also those of its sources. */
  private static Set<String> expected(Document document) {
    Set<String> expected = new HashSet<>();
    document.applications().forEach(entry -> expected.add(entry.uid()));
    document.sources().forEach(entry -> expected.add(entry.name()));
    return expected;
  }

  /**
   * Applies the differences between the document and the server.
   *
   * @param by what caused it: start, signal or call
   * @throws BadFile if it is refused; then nothing has changed
   */
  public Plan apply(String environmentId, Document document, Terms terms, String by) {
    // Names are looked up outside the transaction.
    Plan expected = plan(environmentId, document, terms);
    if (expected.isEmpty() && state(environmentId) != null) {
      return expected;
    }
    Actor actor = Actor.current();
    Applied applied =
        database.write(
            handle -> {
              DeferredEvents deferred = new DeferredEvents(events);
              Set<KeyScope> postponed = new HashSet<>();
              OneTransaction transaction = new OneTransaction(database, handle);
              FileOwnershipStore owned = new FileOwnershipStore(transaction, time, environmentId);
              owned.lock();
              PlanBuilder plan =
                  draft(transaction, deferred, postponed, environmentId, document, terms);
              actor.run(plan::run);
              postponed.forEach(
                  scope ->
                      deferred.publish(
                          handle, new OwnDataKeyChosen(environmentId, scope.applicationId())));
              owned.applied(by);
              return new Applied(plan.plan(), deferred);
            });
    applied.events().release();
    return applied.plan();
  }

  private record Applied(Plan plan, DeferredEvents events) {}

  private PlanBuilder draft(
      Database transaction,
      DeferredEvents deferred,
      Set<KeyScope> postponed,
      String environmentId,
      Document document,
      Terms terms) {
    Keyring keyring = storage.keyring().inTransaction(postponed);
    PlanBuilder plan =
        new PlanBuilder(new FileOwnershipStore(transaction, time, environmentId), terms);
    plan.refuseUnknownOwner();
    List<Reconciler> parts = parts(transaction, deferred, keyring, environmentId, document);
    // What goes makes room for what comes; the last kinds hang on the first.
    parts.reversed().forEach(part -> part.planDeletes(plan));
    parts.forEach(part -> part.planUpserts(plan));
    plan.throwIfRefused();
    return plan;
  }

  private List<Reconciler> parts(
      Database transaction,
      DeferredEvents deferred,
      Keyring keyring,
      String environmentId,
      Document document) {
    ConfigurationStores stores =
        ConfigurationStores.in(transaction, deferred, storage, keyring, rules.maxEndpoints());
    ApplicationStore applications = stores.applications();
    EndpointStore endpoints = stores.endpoints();
    AgentRouteStore routes = stores.agentRoutes();
    List<Document.Receiver> receivers =
        Stream.concat(document.handlers().stream(), document.endpoints().stream()).toList();
    Set<String> needed =
        Stream.concat(
                receivers.stream().map(Document.Receiver::application),
                document.sources().stream().map(Document.NamedSource::name))
            .collect(Collectors.toSet());
    return List.of(
        new EventTypeReconciler(
            EventType.Owner.environment(environmentId), stores.eventTypes(), document.eventTypes()),
        new ApplicationReconciler(
            environmentId,
            applications,
            endpoints,
            routes,
            needed,
            EndpointReconciler.neededGrants(receivers),
            document.applications()),
        new SourceReconciler(
            environmentId,
            new SourceStore(
                transaction, keyring, applications, rules.sources(), storage.ids(), time, deferred),
            document.sources()),
        new EndpointReconciler(
            environmentId,
            applications,
            endpoints,
            stores.secrets(),
            storage.signingKeys(),
            expected(document),
            receivers),
        new QueueReconciler(
            environmentId, applications, stores.queues(), random, document.queues()),
        new WorkflowReconciler(
            environmentId,
            applications,
            new Workflows(transaction, keyring, applications, storage.ids(), time),
            expected(document),
            document.workflows()),
        new RouteReconciler(environmentId, applications, endpoints, routes, document.routes()),
        new AlertReconciler(
            environmentId, applications, endpoints, storage.signingKeys(), document.alerts()));
  }

  /** Only URLs that are new here: a name that cannot be looked up must not stop a restart. */
  private void refuseBadUrls(String environmentId, Document document, Plan plan) {
    Map<Kind, Set<String>> fresh = new EnumMap<>(Kind.class);
    Set<String> changed =
        plan.changes().stream()
            .filter(change -> change.kind() == Kind.WORKFLOW)
            .map(Change::name)
            .collect(Collectors.toSet());
    for (Change change : plan.changes()) {
      if (change.action() == Change.Action.CREATE
          || change.fields().stream().anyMatch(field -> field.name().equals("url"))) {
        fresh.computeIfAbsent(change.kind(), _ -> new HashSet<>()).add(change.name());
      }
    }
    FileProblems problems = new FileProblems();
    Stream.concat(document.handlers().stream(), document.endpoints().stream())
        .filter(entry -> isOf(fresh, Kind.ENDPOINT, EndpointReconciler.name(entry)))
        .forEach(
            entry ->
                refuseBadUrl(environmentId, entry, entry.spec().get(EndpointFields.URL), problems));
    document.routes().stream()
        .filter(entry -> isOf(fresh, Kind.ROUTE, entry.name()))
        .forEach(entry -> refuseBadUrl(environmentId, entry, entry.url(), problems));
    document.alerts().stream()
        .filter(entry -> isOf(fresh, Kind.ALERT, entry.name()))
        .forEach(entry -> refuseBadUrl(environmentId, entry, entry.target().url(), problems));
    for (Document.NamedWorkflow entry : document.workflows()) {
      if (changed.contains(entry.name())) {
        DefinitionCheck.urls(entry.values().stored())
            .forEach(
                (place, url) ->
                    refuseBadUrl(environmentId, entry, "." + place.inFile(), url, problems));
      }
    }
    problems.throwIfAny();
  }

  private static boolean isOf(Map<Kind, Set<String>> fresh, Kind kind, String name) {
    return fresh.getOrDefault(kind, Set.of()).contains(name);
  }

  private void refuseBadUrl(
      String environmentId, Document.Entry entry, @Nullable String url, FileProblems problems) {
    refuseBadUrl(environmentId, entry, ".url", url, problems);
  }

  private void refuseBadUrl(
      String environmentId,
      Document.Entry entry,
      String field,
      @Nullable String url,
      FileProblems problems) {
    String problem = url == null ? null : rules.urls().problem(environmentId, url);
    if (problem != null) {
      problems.add(entry.place(), entry.key() + field, problem);
    }
  }
}
