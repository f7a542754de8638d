package dev.postrider.configfile.plan;

import static dev.postrider.endpoint.EndpointFields.CHANNELS;
import static dev.postrider.endpoint.EndpointFields.DISABLED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.RETRY_POLICY;
import static dev.postrider.endpoint.EndpointFields.SIGNATURE_SCHEME;
import static dev.postrider.endpoint.EndpointFields.SUBSCRIPTIONS;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_BURST;
import static dev.postrider.endpoint.EndpointFields.UID;
import static dev.postrider.endpoint.EndpointFields.URL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.Document;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointChanged;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.services.StorageServices;
import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.event.EventPublisher;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.inbound.store.SourcesChanged;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.Json;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueStore;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.Grant;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What applying a file does to a server, and what it leaves alone. */
@OnEachDatabase
final class ConfiguratorTest {
  private static final String ENVIRONMENT = Environment.DEFAULT_ID;
  private static final EventType.Owner OWNER = EventType.Owner.environment(ENVIRONMENT);

  private static final Terms TERMS = terms("test", Terms.Takeover.NOTHING);
  private static final Terms ADOPTING = terms("test", Terms.Takeover.EVERYTHING);

  private static Terms terms(String file, Terms.Takeover takeover) {
    return new Terms(file, false, takeover);
  }

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private Database database;
  private Fixture stores;
  private Configurator configurator;
  private SourceStore sources;
  private int sourcesHeard;
  private final Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, new SystemTime());

  @BeforeEach
  void start() {
    database = kind.open(folder);
    stores = new Fixture(database, new SystemTime());
    stores.environments.ensureDefault();
    SourceCompiler sourceCompiler =
        new SourceCompiler(
            new Verifiers(
                new SnsCertificates(
                    url -> {
                      throw new IOException("none here: " + url);
                    },
                    Set.of())),
            new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, new SystemTime()),
            evaluator);
    sources =
        new SourceStore(
            database,
            stores.keyring,
            stores.applications,
            sourceCompiler,
            stores.ids,
            new SystemTime(),
            EventPublisher.NONE);
    stores.events.afterCommit(SourcesChanged.class, _ -> sourcesHeard++);
    SystemTime time = new SystemTime();
    configurator =
        new Configurator(
            new StorageServices(
                database,
                stores.keyring,
                stores.ids,
                time,
                stores.signingKeys,
                CommitWatermark.alone(stores.ids, time)),
            stores.random,
            new Configurator.Rules(
                (_, url) -> url.contains("10.0.0.1") ? "10.0.0.1 is a private address" : null,
                sourceCompiler,
                EndpointStore.DEFAULT_MAX_ACTIVE),
            stores.events);
  }

  @AfterEach
  void stop() {
    database.close();
    evaluator.close();
  }

  /** As a call has it: read by the client, sent as JSON. */
  private static Document document(String yaml) {
    ConfigurationText text =
        new ConfigurationText(new ConfigurationText.Part("test", yaml), null, null, null);
    String sent = ConfigurationFile.read(text, Map.of()).toJson();
    return ConfigurationFile.parseJson(Json.MAPPER.readTree(sent)).document();
  }

  private List<String> apply(String yaml) {
    return shown(configurator.apply(ENVIRONMENT, document(yaml), TERMS, "call"));
  }

  private List<String> plan(String yaml) {
    return shown(configurator.plan(ENVIRONMENT, document(yaml), TERMS));
  }

  private static List<String> shown(Plan plan) {
    return plan.changes().stream()
        .map(
            change ->
                change.action().sign()
                    + change.kind().text()
                    + " "
                    + change.name()
                    + (change.fields().isEmpty()
                        ? ""
                        : " " + change.fields().stream().map(Change.Field::name).toList()))
        .toList();
  }

  private List<String> refused(String yaml) {
    BadFile bad = catchThrowableOfType(BadFile.class, () -> apply(yaml));
    assertThat(bad).as("refused").isNotNull();
    return bad.lines();
  }

  private @Nullable Application application(String uid) {
    return stores.applications.find(ENVIRONMENT, uid);
  }

  private Endpoint endpoint(String application, String uid) {
    return Objects.requireNonNull(
        stores.endpoints.find(Objects.requireNonNull(application(application)).id(), uid));
  }

  private static final String ACME =
      """
      event_types: { invoice.paid: { description: paid, schema: { type: object } } }
      applications: { acme: { name: Acme, throttle: 9 } }
      endpoints:
        main:
          application: acme
          url: https://acme.example.com/hook
          events: [invoice.paid]
          headers: { authorization: Bearer 1 }
          retry: [5s, 1m]
      """;

  @Test
  void everythingIsMadeOnceAndThenStays() {
    assertThat(plan(ACME))
        .containsExactly("+event type invoice.paid", "+application acme", "+endpoint acme/main");
    assertThat(application("acme")).as("a plan changes nothing").isNull();
    assertThat(apply(ACME))
        .containsExactly("+event type invoice.paid", "+application acme", "+endpoint acme/main");
    Endpoint main = endpoint("acme", "main");
    assertThat(main.spec().get(RETRY_POLICY)).isEqualTo("5s,1m");
    assertThat(stores.secrets.headers(Objects.requireNonNull(application("acme")), main))
        .containsEntry("authorization", "Bearer 1");
    assertThat(stores.changes(main.id().value())).containsExactly(EndpointChanged.Change.CREATED);
    assertThat(apply(ACME)).isEmpty();
    assertThat(Objects.requireNonNull(configurator.state(ENVIRONMENT)).version()).isEqualTo(1);
  }

  @Test
  void aChangeKeepsTheEndpointAndTouchesOnlyWhatDiffers() {
    apply(ACME);
    Endpoint before = endpoint("acme", "main");
    String changed =
        ACME.replace("[5s, 1m]", "none").replace("Bearer 1", "Bearer 2")
            + "    throttle_burst: 7\n";
    assertThat(apply(changed))
        .containsExactly("~endpoint acme/main [throttle_burst, retry, headers]");
    Endpoint after = endpoint("acme", "main");
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.spec().get(RETRY_POLICY)).isEmpty();
    assertThat(after.spec().get(THROTTLE_BURST)).isEqualTo(7);
    assertThat(stores.secrets.headers(Objects.requireNonNull(application("acme")), after))
        .containsEntry("authorization", "Bearer 2");
    assertThat(stores.changes(after.id().value())).contains(EndpointChanged.Change.UPDATED);
  }

  @Test
  void urlsAreStoredAsTheApiStoresThem() {
    apply(ACME.replace("https://acme.example.com/hook", "https://ACME.example.com:443"));
    assertThat(endpoint("acme", "main").spec().get(URL)).isEqualTo("https://acme.example.com/");
    assertThat(apply(ACME.replace("https://acme.example.com/hook", "https://acme.example.com/")))
        .isEmpty();
  }

  @Test
  void aSecretIsRotatedAndNeverShown() {
    String one = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
    String two = "whsec_YWJjZGVmMDEyMzQ1Njc4OTAxMjM0NTY3";
    String file =
        "applications: { acme: {} }\n"
            + "endpoints: { main: { application: acme, url: https://a.example.com, secret: %s } }";
    apply(file.formatted(one));
    Plan plan = configurator.apply(ENVIRONMENT, document(file.formatted(two)), TERMS, "call");
    assertThat(plan.toString()).doesNotContain("whsec_").contains("secret");
    Application acme = Objects.requireNonNull(application("acme"));
    assertThat(
            Objects.requireNonNull(stores.secrets.current(acme, endpoint("acme", "main"))).text())
        .isEqualTo(two);
    assertThat(apply(file.formatted(two))).isEmpty();
  }

  @Test
  void anEndpointWithAPlainSecretIsAdoptedUnchanged() {
    String plain = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"; // which is base64 by accident
    EndpointSpec spec =
        EndpointSpec.of("https://a.example.com/")
            .with(UID, "main")
            .with(
                SIGNATURE_SCHEME,
                new SignatureScheme.Sha256Hex("X-Observatory-Signature", null, null, null)
                    .encode());
    Application acme =
        stores.applications.createOrGet(ENVIRONMENT, ApplicationSpec.named("acme", "acme")).value();
    stores.endpoints.create(
        acme, new EndpointStore.NewEndpoint(spec, HmacKey.raw(plain), Map.of()));
    String file =
        "endpoints: { main: { application: acme, url: https://a.example.com, signature:"
            + " observatory, secret: %s } }";
    Plan plan = configurator.apply(ENVIRONMENT, document(file.formatted(plain)), ADOPTING, "call");
    assertThat(plan.changes())
        .singleElement()
        .satisfies(change -> assertThat(change.fields()).isEmpty());
    assertThat(apply(file.formatted("another plain secret")))
        .containsExactly("~endpoint acme/main [secret]");
    assertThat(
            Objects.requireNonNull(stores.secrets.current(acme, endpoint("acme", "main"))).text())
        .isEqualTo("another plain secret");
  }

  @Test
  void changesByTheApiAreShownAndReverted() {
    apply(ACME);
    Endpoint main = endpoint("acme", "main");
    stores.endpoints.update(
        main.applicationId(), "main", spec -> spec.with(URL, "https://other.example.com"));
    assertThat(apply(ACME)).containsExactly("~endpoint acme/main [url]");
    assertThat(endpoint("acme", "main").spec().get(URL)).isEqualTo("https://acme.example.com/hook");
  }

  @Test
  void pausedAndDisabledAreKeptUnlessTheFileSetsThem() {
    apply(ACME);
    Endpoint main = endpoint("acme", "main");
    stores.endpoints.update(
        main.applicationId(), "main", spec -> spec.with(PAUSED, true).with(DISABLED, true));
    assertThat(apply(ACME)).isEmpty();
    assertThat(apply(ACME + "    enabled: true\n"))
        .containsExactly("~endpoint acme/main [enabled]");
    assertThat(endpoint("acme", "main").spec().get(DISABLED)).isFalse();
    assertThat(endpoint("acme", "main").spec().get(PAUSED)).isTrue();
  }

  @Test
  void objectsRemovedFromTheFileAreDeletedAndOthersStay() {
    apply(ACME);
    Application acme = Objects.requireNonNull(application("acme"));
    Application other = stores.application("other");
    stores.endpoint(other, EndpointSpec.of("https://o.example.com").with(UID, "api"));
    assertThat(apply("applications: { acme: { name: Acme, throttle: 9 } }"))
        .containsExactly("-endpoint acme/main", "-event type invoice.paid");
    assertThat(stores.endpoints.find(acme.id(), "main")).isNull();
    assertThat(
            Objects.requireNonNull(stores.eventTypes.find(OWNER, "invoice.paid"))
                .spec()
                .get(EventTypeFields.ARCHIVED))
        .isTrue();
    assertThat(apply("{}")).containsExactly("-application acme");
    assertThat(application("acme")).isNull();
    assertThat(endpoint("other", "api")).isNotNull();
  }

  @Test
  void anApplicationWithObjectsOfOthersIsReleasedNotDeleted() {
    apply(ACME);
    Application acme = Objects.requireNonNull(application("acme"));
    stores.endpoint(acme, EndpointSpec.of("https://o.example.com").with(UID, "api"));
    assertThat(apply("{}"))
        .containsExactly("-endpoint acme/main", "oapplication acme", "-event type invoice.paid");
    assertThat(endpoint("acme", "api")).isNotNull();
    assertThat(apply("{}")).isEmpty();
  }

  @Test
  void anApplicationThatTheFileStillUsesIsReleasedNotDeleted() {
    apply(ACME);
    assertThat(apply(ACME.replaceAll("(?m)^applications.*\n", "")))
        .containsExactly("oapplication acme");
    assertThat(endpoint("acme", "main")).isNotNull();
  }

  @Test
  void existingObjectsAreTakenOverOnlyOnRequest() {
    stores.application("acme");
    assertThat(refused(ACME))
        .singleElement()
        .asString()
        .startsWith("applications.acme: the application acme already exists on the server")
        .endsWith("postrider apply --adopt");
    assertThat(stores.eventTypes.find(OWNER, "invoice.paid")).as("nothing was done").isNull();
    assertThat(shown(configurator.apply(ENVIRONMENT, document(ACME), ADOPTING, "call")))
        .containsExactly(
            "+event type invoice.paid",
            "!application acme [name, throttle]",
            "+endpoint acme/main");
    assertThat(apply(ACME)).isEmpty();
  }

  @Test
  void oneOfTheSameNameThatWasMadeLaterIsNotTheFiles() {
    apply(ACME);
    Application acme = Objects.requireNonNull(application("acme"));
    stores.endpoints.delete(acme.id(), "main");
    stores.endpoint(acme, EndpointSpec.of("https://o.example.com").with(UID, "main"));
    assertThat(refused(ACME)).singleElement().asString().contains("was not created from this file");
  }

  @Test
  void aFileThatFailsHalfWayChangesNothing() {
    apply(ACME);
    StringBuilder many = new StringBuilder(ACME.replace("throttle: 9", "max_endpoints: 2"));
    for (int n = 0; n < 3; n++) {
      many.append("  e%d: { application: acme, url: https://e.example.com }\n".formatted(n));
    }
    assertThat(refused(many.toString()))
        .singleElement()
        .asString()
        .startsWith("endpoints.e1: the application already has 2 active endpoints");
    Application acme = Objects.requireNonNull(application("acme"));
    assertThat(acme.spec().throttleRate()).isEqualTo(9);
    assertThat(stores.endpoints.find(acme.id(), "e0")).isNull();
    assertThat(apply(ACME)).isEmpty();
  }

  @Test
  void badUrlsAreRefusedBeforeAnythingHappens() {
    assertThat(refused(ACME.replace("acme.example.com", "10.0.0.1")))
        .containsExactly("endpoints.main.url: 10.0.0.1 is a private address");
    assertThat(application("acme")).isNull();
  }

  /** The file is the operator's: what its endpoints say is granted. */
  @Test
  void theFileGrantsWhatItsEndpointsNeed() {
    stores.application("other");
    String slow =
        "endpoints: { slow: { application: other, url: https://a.example.com, timeout: 60s,"
            + " max_in_flight: 500 } }\n";
    assertThat(apply(slow)).containsExactly("+endpoint other/slow");
    assertThat(grant()).isEqualTo(new Grant(500, 60_000, false));
    assertThat(plan(slow)).isEmpty();

    stores.applications.update(ENVIRONMENT, "other", s -> s.with(s.settings().with(Grant.DEFAULT)));
    assertThat(apply(slow)).containsExactly("~endpoint other/slow [granted]");
    assertThat(grant()).isEqualTo(new Grant(500, 60_000, false));

    String declared =
        slow + "applications: { other: { max_in_flight: 900, timeout: 20s, ordering: fifo } }\n";
    configurator.apply(ENVIRONMENT, document(declared), ADOPTING, "call");
    assertThat(grant()).isEqualTo(new Grant(900, 60_000, true));
    assertThat(plan(declared)).isEmpty();
  }

  private Grant grant() {
    return Objects.requireNonNull(application("other")).spec().settings().grant();
  }

  @Test
  void ordersCannotBeChangedAndApplicationsMustExist() {
    apply(ACME);
    assertThat(refused(ACME + "    ordering: fifo\n"))
        .singleElement()
        .asString()
        .contains("ordering cannot be changed after creation");
    assertThat(refused("endpoints: { main: { application: nobody, url: https://a.example.com } }"))
        .singleElement()
        .asString()
        .contains("neither in this file nor on the server");
  }

  private static final String GITHUB =
      """
      sources: { github: { verify: github, secret: first, options: {} } }
      handlers: { build: { source: github, url: https://ci.example.com, events: [push] } }
      """;

  @Test
  void aSourceIsCreatedWithItsHandlersAndDeletedAlone() {
    assertThat(apply(GITHUB)).containsExactly("+source github", "+endpoint github/build");
    assertThat(sourcesHeard).isEqualTo(1);
    assertThat(apply(GITHUB)).isEmpty();
    assertThat(sourcesHeard).as("nothing changed").isEqualTo(1);
    Plan plan =
        configurator.apply(
            ENVIRONMENT,
            document(GITHUB.replace("secret: first", "secret: [second, first], max_body: 1KB")),
            TERMS,
            "call");
    assertThat(shown(plan)).containsExactly("~source github [max_body, secret]");
    assertThat(plan.toString()).doesNotContain("second");
    String byType =
        GITHUB.replace(
            "secret: first", "secret: [second, first], event_type_secrets: { push: mine }");
    assertThat(plan(byType)).containsExactly("~source github [max_body, secret]");
    apply(byType);
    assertThat(apply(byType)).as("nothing changed").isEmpty();
    assertThat(apply(byType.replace("mine", "new"))).hasSize(1);
    assertThat(apply(GITHUB.replace("secret: first", "secret: [second, first]"))).hasSize(1);
    assertThat(Objects.requireNonNull(sources.find(ENVIRONMENT, "github")).secrets()).hasSize(2);
    assertThat(apply("{}")).containsExactly("-endpoint github/build", "-source github");
    assertThat(sources.find(ENVIRONMENT, "github")).isNull();
    assertThat(application("github")).as("its messages stay").isNotNull();
  }

  @Test
  void aSecretThatASourceLearnedStays() {
    String file = "sources: { tasks: { verify: asana%s } }";
    apply(file.formatted(""));
    // as the handshake keeps it
    sources.update(
        ENVIRONMENT, "tasks", form -> form, SecretChange.of(List.of(SourceSecret.of("learned"))));
    assertThat(apply(file.formatted(""))).isEmpty();
    assertThat(apply(file.formatted(", description: Tasks")))
        .containsExactly("~source tasks [description]");
    Source tasks = Objects.requireNonNull(sources.find(ENVIRONMENT, "tasks"));
    assertThat(sources.hasSecrets(tasks, SecretChange.of(List.of(SourceSecret.of("learned")))))
        .isTrue();
    assertThat(apply(file.formatted(", description: Tasks, secret: named")))
        .containsExactly("~source tasks [secret]");
  }

  @Test
  void aRouteIsChangedInPlace() {
    String route = "routes: [ { source: github, event: %s, agent_intent: %s } ]\n";
    apply(GITHUB + route.formatted("push", "review"));
    assertThat(apply(GITHUB + route.formatted("push", "review"))).isEmpty();
    assertThat(apply(GITHUB + route.formatted("push", "deploy")))
        .containsExactly("~route github/push [agent_intent]");
    assertThat(apply(GITHUB + route.formatted("\"pull_request.*\"", "review")))
        .containsExactly("-route github/push", "+route github/pull_request.*");
    assertThat(apply(GITHUB)).containsExactly("-route github/pull_request.*");
  }

  private static final String TWO_HANDLERS =
      """
      sources: { github: { verify: github, secret: s } }
      handlers:
        agent: { source: github, url: https://agent.example.com }
        build: { source: github, url: https://ci.example.com }
      """;

  private List<AgentRoute> routes() {
    return routeStore().all(Objects.requireNonNull(application("github")).id());
  }

  private AgentRouteStore routeStore() {
    return new AgentRouteStore(
        database, stores.endpoints, stores.ids, new SystemTime(), stores.signingKeys);
  }

  @Test
  void aRouteIsBoundToAHandler() {
    String route = "routes: [ { source: github, event: push, agent_intent: %s, handler: %s } ]\n";
    assertThat(apply(TWO_HANDLERS + route.formatted("review", "agent")))
        .endsWith("+endpoint github/agent", "+endpoint github/build", "+route github/push/agent");
    assertThat(routes())
        .singleElement()
        .satisfies(
            made -> {
              assertThat(made.endpointId()).isEqualTo(endpoint("github", "agent").id());
              assertThat(made.url()).isNull();
            });
    assertThat(apply(TWO_HANDLERS + route.formatted("review", "agent"))).isEmpty();
    assertThat(apply(TWO_HANDLERS + route.formatted("deploy", "agent")))
        .containsExactly("~route github/push/agent [agent_intent]");
    assertThat(apply(TWO_HANDLERS + route.formatted("deploy", "build")))
        .containsExactly("-route github/push/agent", "+route github/push/build");
    String every = "routes: [ { source: github, event: push, agent_intent: x } ]\n";
    assertThat(apply(TWO_HANDLERS + every))
        .containsExactly("-route github/push/build", "+route github/push");
    assertThat(routes()).singleElement().extracting(AgentRoute::endpointId).isNull();
  }

  /** A handler that is renamed takes its route along, which would go with the old endpoint. */
  @Test
  void aRouteFollowsItsHandlerToAnotherName() {
    String file =
        TWO_HANDLERS + "routes: [ { source: github, event: a, agent_intent: b, handler: agent } ]";
    apply(file);
    assertThat(apply(file.replace("agent:", "robot:").replace("handler: agent", "handler: robot")))
        .containsExactly(
            "-route github/a/agent",
            "-endpoint github/agent",
            "+endpoint github/robot",
            "+route github/a/robot");
    assertThat(routes())
        .singleElement()
        .extracting(AgentRoute::endpointId)
        .isEqualTo(endpoint("github", "robot").id());
  }

  @Test
  void aRouteWithAUrlIsChangedInPlace() {
    String route = "routes: [ { source: github, event: push, agent_intent: x, url: %s } ]\n";
    assertThat(apply(GITHUB + route.formatted("https://AGENT.example.com")))
        .endsWith("+route github/push (url)");
    AgentRoute made = routes().getFirst();
    Endpoint own = Objects.requireNonNull(stores.endpoints.find(made.applicationId(), text(made)));
    assertThat(own.spec().get(URL)).isEqualTo("https://agent.example.com/");
    assertThat(own.spec().get(SUBSCRIPTIONS)).containsExactly("push");
    assertThat(stores.changes(own.id().value())).containsExactly(EndpointChanged.Change.CREATED);
    assertThat(apply(GITHUB + route.formatted("https://agent.example.com"))).isEmpty();
    assertThat(apply(GITHUB + route.formatted("https://other.example.com")))
        .containsExactly("~route github/push (url) [url]");
    assertThat(routes().getFirst().id()).isEqualTo(made.id());
    assertThat(routes().getFirst().endpointId()).as("with its secret").isEqualTo(own.id());
    stores.endpoints.update(
        made.applicationId(), text(made), spec -> spec.with(URL, "https://drift.example.com"));
    assertThat(apply(GITHUB + route.formatted("https://other.example.com")))
        .as("what others changed is set right")
        .containsExactly("~route github/push (url) [url]");
    assertThat(refused(GITHUB + route.formatted("https://10.0.0.1/")))
        .singleElement()
        .asString()
        .contains("routes[0].url", "private address");

    assertThat(apply(GITHUB)).containsExactly("-route github/push (url)");
    assertThat(stores.endpoints.find(made.applicationId(), text(made))).isNull();
    assertThat(stores.changes(own.id().value())).endsWith(EndpointChanged.Change.DELETED);
  }

  private static String text(AgentRoute route) {
    return Objects.requireNonNull(route.endpointId()).text();
  }

  @Test
  void aRouteOfAnotherOwnerIsNotTakenOver() {
    apply(TWO_HANDLERS);
    Application github = Objects.requireNonNull(application("github"));
    AgentRoute.Spec spec =
        new AgentRoute.Spec(
            "github",
            "push",
            new AgentRoute.Instructions(
                "mine", null, null, null, Map.of(), AgentRoute.Profile.STANDARD),
            AgentRoute.Target.ALL);
    routeStore().create(github, spec.withTarget(new AgentRoute.Target.OneEndpoint("agent")));
    routeStore()
        .create(
            github, spec.withTarget(new AgentRoute.Target.OwnEndpoint("https://a.example.com/")));
    String bound = "routes: [ { source: github, event: push, agent_intent: x, handler: agent } ]";
    String own =
        "routes: [ { source: github, event: push, agent_intent: x, url: https://a.example.com } ]";
    assertThat(refused(TWO_HANDLERS + bound)).singleElement().asString().contains("--adopt");
    assertThat(refused(TWO_HANDLERS + own)).singleElement().asString().contains("--adopt");
    assertThat(apply(TWO_HANDLERS + own.replace("a.example", "b.example")))
        .as("another URL is another route")
        .containsExactly("+route github/push (url)");
    assertThat(routes()).hasSize(3);
  }

  @Test
  void aRouteDeletedWithItsEndpointIsCreatedAgain() {
    String file =
        TWO_HANDLERS
            + "routes: [ { source: github, event: a, agent_intent: b, handler: agent },"
            + " { source: github, event: a, agent_intent: b, url: https://a.example.com } ]";
    apply(file);
    Application github = Objects.requireNonNull(application("github"));
    AgentRoute own =
        routes().stream().filter(route -> route.url() != null).findFirst().orElseThrow();
    stores.endpoints.delete(github.id(), "agent");
    stores.endpoints.delete(github.id(), text(own));
    assertThat(routes()).isEmpty();
    assertThat(apply(file))
        .containsExactly(
            "+endpoint github/agent", "+route github/a/agent", "+route github/a (url)");
    assertThat(plan(file)).isEmpty();
  }

  /** What others did to the target of a route of the file is undone. */
  @Test
  void aTargetChangedByOthersIsReverted() {
    String file =
        TWO_HANDLERS + "routes: [ { source: github, event: a, agent_intent: b, handler: agent } ]";
    apply(file);
    Application github = Objects.requireNonNull(application("github"));
    AgentRoute made = routes().getFirst();
    routeStore()
        .update(
            github,
            made.id(),
            spec -> spec.withTarget(new AgentRoute.Target.OwnEndpoint("https://x.example.com/")));
    assertThat(apply(file)).containsExactly("~route github/a/agent [handler, url]");
    assertThat(routes())
        .singleElement()
        .satisfies(
            route -> {
              assertThat(route.id()).isEqualTo(made.id());
              assertThat(route.endpointId()).isEqualTo(endpoint("github", "agent").id());
              assertThat(route.url()).isNull();
            });
    assertThat(stores.endpoints.list(github.id(), Keyset.first(10, true)).items()).hasSize(2);
  }

  @Test
  void theEndpointOfARouteDoesNotKeepAnApplication() {
    String file =
        """
        sources: { github: { verify: github, secret: s } }
        applications: { github: { name: GitHub } }
        routes: [ { source: github, event: a, agent_intent: b, url: https://a.example.com } ]
        """;
    apply(file);
    assertThat(apply("{}"))
        .containsExactlyInAnyOrder(
            "-route github/a (url)", "-source github", "-application github");
  }

  @Test
  void aQueueIsChangedInPlaceAndItsKeyNeverShown() {
    String queue =
        "queues: { audit: { source: github, events: [push], visibility_timeout: %s, key: %s } }\n";
    assertThat(apply(GITHUB + queue.formatted("30s", "0123456789abcdef")))
        .contains("+queue github/audit");
    assertThat(apply(GITHUB + queue.formatted("30s", "0123456789abcdef"))).isEmpty();
    assertThat(apply(GITHUB + queue.formatted("1m", "fedcba9876543210")))
        .containsExactly("~queue github/audit [visibility_timeout, key]");
    assertThat(apply(GITHUB + queue.formatted("1m", "fedcba9876543210"))).isEmpty();
    assertThat(apply(GITHUB)).containsExactly("-queue github/audit");
  }

  @Test
  void schemasAreComparedAsJson() {
    apply(ACME);
    stores.eventTypes.update(
        OWNER,
        "invoice.paid",
        spec ->
            spec.with(
                EventTypeFields.SCHEMAS,
                Json.MAPPER.readTree("{ \"1\" : {\"type\":  \"object\"}}") + " "));
    assertThat(apply(ACME)).isEmpty();
  }

  private static final String ALERTS =
      """
      alerts:
        ops: { type: slack, url: https://hooks.example.com/secret, on: [lag, dead_letter] }
        all: { url: https://alerts.example.com/ }
      """;

  @Test
  void alertTargetsAreOwnedLikeEverythingElse() {
    assertThat(apply(ALERTS)).containsExactlyInAnyOrder("+alert ops", "+alert all");
    Endpoint ops = endpoint("postrider-alerts", "ops");
    assertThat(ops.spec().get(CHANNELS)).containsExactly("slack");
    assertThat(ops.spec().get(SUBSCRIPTIONS))
        .containsExactlyInAnyOrder("alert.lag", "alert.dead_letter");
    assertThat(endpoint("postrider-alerts", "all").spec().get(SUBSCRIPTIONS)).isEmpty();
    assertThat(plan(ALERTS)).as("nothing to change").isEmpty();

    assertThat(apply(ALERTS.replace("/secret", "/other").replace("slack", "discord")))
        .containsExactly("~alert ops [url, type]");
    assertThat(endpoint("postrider-alerts", "ops").id()).isEqualTo(ops.id());
    assertThat(refused(ALERTS.replace("hooks.example.com", "10.0.0.1")))
        .singleElement()
        .asString()
        .contains("alerts.ops.url", "private address");
    assertThat(refused(ALERTS.replace("[lag,", "[late,")))
        .singleElement()
        .asString()
        .contains("lag");

    assertThat(apply("alerts: { all: { url: https://alerts.example.com/ } }"))
        .containsExactly("-alert ops");
    assertThat(stores.endpoints.find(ops.applicationId(), "ops")).isNull();
  }

  @Test
  void anAlertTargetOfAnotherOwnerIsUnchanged() {
    Application alerts = stores.application("postrider-alerts");
    stores.endpoint(alerts, EndpointSpec.of("https://mine.example.com").with(UID, "ops"));
    assertThat(refused(ALERTS)).singleElement().asString().contains("--adopt");
    assertThat(endpoint("postrider-alerts", "ops").spec().get(URL))
        .isEqualTo("https://mine.example.com");
  }

  /** One of every kind, by section. */
  private static final Map<String, String> WHOLE =
      Map.of(
          "event_types", "{ invoice.paid: { description: paid } }",
          "applications", "{ acme: { name: Acme } }",
          "endpoints", "{ main: { application: acme, url: https://acme.example.com } }",
          "sources", "{ github: { verify: github, secret: first } }",
          "handlers", "{ build: { source: github, url: https://ci.example.com } }",
          "routes",
              "[ { source: github, event: push, agent_intent: review }, { source: github, event:"
                  + " push, agent_intent: x, url: https://a.example.com } ]",
          "queues", "{ audit: { source: github, key: 0123456789abcdef } }",
          "alerts", "{ ops: { url: https://alerts.example.com/ } }");

  private static String without(String... sections) {
    return WHOLE.entrySet().stream()
        .filter(section -> !List.of(sections).contains(section.getKey()))
        .map(section -> section.getKey() + ": " + section.getValue() + "\n")
        .sorted()
        .collect(Collectors.joining());
  }

  /** A rollback must never be refused: it would keep a server from starting. */
  @Test
  void aFileThatWasAppliedOnceCanBeAppliedAgain() {
    apply(without());
    String[][] removals = {
      {"event_types"},
      {"applications"}, // still used by an endpoint
      {"applications", "endpoints"},
      {"endpoints"},
      {"sources", "handlers", "routes", "queues"},
      {"handlers"},
      {"routes"},
      {"queues"},
      {"alerts"},
      WHOLE.keySet().toArray(String[]::new)
    };
    for (String[] removal : removals) {
      assertThat(apply(without(removal))).as("without %s", List.of(removal)).isNotEmpty();
      assertThat(apply(without())).as("with %s again", List.of(removal)).isNotEmpty();
      assertThat(plan(without())).as("after %s", List.of(removal)).isEmpty();
    }
  }

  @Test
  void anApplicationKeptForOthersIsTakenOverAgain() {
    apply(ACME);
    Application acme = Objects.requireNonNull(application("acme"));
    stores.endpoint(acme, EndpointSpec.of("https://o.example.com").with(UID, "api"));
    apply("{}");
    assertThat(apply(ACME))
        .containsExactly("+event type invoice.paid", "!application acme", "+endpoint acme/main");
    assertThat(apply(ACME)).isEmpty();
  }

  @Test
  void theApplicationOfASourceStaysWithTheSource() {
    String source = "sources: { github: { verify: github, secret: first } }\n";
    apply(source + "applications: { github: { name: GitHub } }");
    Application github = Objects.requireNonNull(application("github"));
    assertThat(apply(source)).containsExactly("oapplication github");
    assertThat(Objects.requireNonNull(application("github")).id()).isEqualTo(github.id());
  }

  private static final String QUEUES =
      "sources: { github: { verify: none } }\n"
          + "queues: { one: { source: github, key: %s }, two: { source: github, key: %s } }";

  @Test
  void twoQueuesSwapTheirKeys() {
    apply(QUEUES.formatted("0123456789abcdef", "fedcba9876543210"));
    String swapped = QUEUES.formatted("fedcba9876543210", "0123456789abcdef");
    assertThat(apply(swapped))
        .containsExactlyInAnyOrder("~queue github/one [key]", "~queue github/two [key]");
    assertThat(apply(swapped)).isEmpty();
  }

  @Test
  void aKeyOfAnotherQueueIsRefusedByName() {
    Application other = stores.application("other");
    new QueueStore(database, stores.ids, new SystemTime(), EventPublisher.NONE)
        .create(other, Queue.Spec.of("mine"), "0123456789abcdef");
    assertThat(refused(QUEUES.formatted("fedcba9876543210", "0123456789abcdef")))
        .singleElement()
        .asString()
        .startsWith("queues.two.key: another queue already has this key");
    stores.applications.delete(ENVIRONMENT, "other");
    assertThat(apply(QUEUES.formatted("fedcba9876543210", "0123456789abcdef")))
        .contains("+queue github/two");
  }

  private List<String> apply(String yaml, Terms terms) {
    return shown(configurator.apply(ENVIRONMENT, document(yaml), terms, "call"));
  }

  private static final String OTHER = "applications: { other: {} }";

  @Test
  void aFileNeverDeletesWhatAnotherFileCreated() {
    apply(ACME);
    Terms unnamed = terms("other.yaml", Terms.Takeover.NOTHING);
    assertThatThrownBy(() -> apply(OTHER, unnamed))
        .isInstanceOf(BadFile.class)
        .hasMessage(
            "other.yaml was never applied to this server, which has objects owned by test;"
                + " to replace that file, add --owner test; to keep both, add --owner other.yaml");
    assertThat(apply(OTHER, new Terms("other.yaml", true, Terms.Takeover.NOTHING)))
        .containsExactly("+application other");
    assertThat(apply("{}", unnamed)).as("known by now").containsExactly("-application other");
    assertThat(apply(ACME)).as("all is there").isEmpty();
    assertThat(apply(OTHER, new Terms("test", true, Terms.Takeover.NOTHING)))
        .containsExactly(
            "-endpoint acme/main",
            "-application acme",
            "-event type invoice.paid",
            "+application other");
  }

  @Test
  void objectsOfAnotherFileAreTakenOverOnlyOnRequest() {
    apply(ACME);
    Terms named = new Terms("other.yaml", true, Terms.Takeover.NOTHING);
    assertThatThrownBy(() -> apply("applications: { acme: {} }", named))
        .hasMessageStartingWith(
            "applications.acme: the application acme is owned by test, and this file is"
                + " applied as other.yaml; remove it from one of the two files, take it over with"
                + " --adopt, or replace that file with --owner test");
    assertThat(apply("applications: { acme: {} }", terms("test", Terms.Takeover.NOTHING)))
        .contains("~application acme [name, throttle]");
    assertThat(
            apply(
                "applications: { acme: {} }",
                new Terms("other.yaml", true, Terms.Takeover.EVERYTHING)))
        .containsExactly("!application acme");
  }

  /** Else a start would be prevented by nothing but a file's name. */
  @Test
  void theServersOwnFileMayGetAnotherName() {
    apply(ACME, Terms.ofServer("postrider.yaml"));
    assertThat(apply(ACME, Terms.ofServer("hooks.yaml")))
        .containsExactly("!event type invoice.paid", "!application acme", "!endpoint acme/main");
    assertThat(apply("{}", Terms.ofServer("other.yaml"))).as("not its own").isEmpty();
    assertThat(apply("{}", Terms.ofServer("hooks.yaml"))).hasSize(3);
  }
}
