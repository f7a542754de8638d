package dev.postrider.testkit.api;

import dev.postrider.api.ApiServer;
import dev.postrider.api.catalog.CatalogArea;
import dev.postrider.api.endpoint.EndpointArea;
import dev.postrider.api.endpoint.EndpointChecks;
import dev.postrider.api.endpoint.EndpointDependencies;
import dev.postrider.api.endpoint.SubscribableTypes;
import dev.postrider.api.endpoint.UrlCheck;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.HttpSurface;
import dev.postrider.api.http.IdempotentCalls;
import dev.postrider.api.http.ManagementRate;
import dev.postrider.api.message.DeliveryArea;
import dev.postrider.api.message.MessageArea;
import dev.postrider.api.message.MessageHistory;
import dev.postrider.api.ops.AlertArea;
import dev.postrider.api.ops.HealthSource;
import dev.postrider.api.ops.OperationsArea;
import dev.postrider.api.ops.ServerArea;
import dev.postrider.api.ops.StatisticsArea;
import dev.postrider.api.queue.QueueArea;
import dev.postrider.api.source.SourceArea;
import dev.postrider.api.source.SourceServices;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.api.tenant.TenantArea;
import dev.postrider.api.workflow.WorkflowArea;
import dev.postrider.audit.AuditStore;
import dev.postrider.config.ServerConfig;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.accept.CheckedAcceptor;
import dev.postrider.delivery.accept.KeyWindow;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.delivery.loop.Canceler;
import dev.postrider.delivery.loop.Redriver;
import dev.postrider.delivery.store.CancelStore;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.services.DeliveryReaders;
import dev.postrider.engine.services.DryRuns;
import dev.postrider.engine.services.QueueServices;
import dev.postrider.engine.services.StorageServices;
import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.event.Event;
import dev.postrider.event.EventPublisher;
import dev.postrider.eventtype.EventTypeRules;
import dev.postrider.eventtype.EventTypesChanged;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.inbound.ClientAddress;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.InboundEvent;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.Rejections;
import dev.postrider.inbound.SourceCache;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.inbound.store.SourcesChanged;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.json.Json;
import dev.postrider.live.LiveFeed;
import dev.postrider.live.LiveStore;
import dev.postrider.message.MessageReader;
import dev.postrider.queue.QueueContentStore;
import dev.postrider.queue.QueueFilter;
import dev.postrider.queue.QueueItemStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.Queues;
import dev.postrider.statistics.CounterStore;
import dev.postrider.statistics.Counters;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.task.TaskCreated;
import dev.postrider.task.TaskRunner;
import dev.postrider.task.TaskStore;
import dev.postrider.task.TaskWorks;
import dev.postrider.task.Tasks;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentChanged;
import dev.postrider.tenant.EventTtl;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.tenant.datakey.ResealStore;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.tenant.key.ApiKeyStore.NewKey;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.IntegrationStore;
import dev.postrider.tenant.key.JwtTokens;
import dev.postrider.testkit.FakeAcceptor;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.Jwts;
import dev.postrider.testkit.Signals;
import dev.postrider.time.SystemTime;
import dev.postrider.workflow.loop.RunOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** An API server on a free port over one database, and a caller with a key. */
public final class ApiFixture implements AutoCloseable {
  public static final long MAX_BODY = 64 * 1024;
  public static final Duration WINDOW = Duration.ofHours(1);
  private static final String URL = "https://hooks.example.com";

  public final SystemTime time = new SystemTime();
  public final Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, time);
  public final Fixture stores;
  public final CommitWatermark watermark;
  public final ApiKeys keys;
  public final FakeAcceptor acceptor;
  public final Counters counters;
  public final EventTypeRules rules;
  private final StatisticsReader statistics;
  private final TaskStore taskStore;
  private final TaskRunner tasks;
  public final ApiServer server;
  public final String token;

  /** Every name is a public address. */
  private final NameLookup names =
      new NameLookup(
          _ -> new InetAddress[] {InetAddress.ofLiteral("93.184.215.14")},
          time,
          NameLookup.Limits.defaults());

  public final HttpClient client = HttpClient.newHttpClient();
  private Rejections rejections;
  public volatile HealthSource.Report health =
      new HealthSource.Report("inst_test", true, false, null, null, null);
  public volatile Redrive.ResendResult resend =
      new Redrive.ResendResult.Queued(new DeliveryId(new Id(1, 2)));

  /** What an endpoint test answers; nothing is sent. */
  public volatile Function<EndpointTests.Test, EndpointTests.Result> endpointTest =
      _ -> new EndpointTests.Result.Canceled();

  private final Signals signals = new Signals();

  public ApiFixture(Database database) {
    this(database, Duration.ofSeconds(30));
  }

  public ApiFixture(Database database, Duration requestTimeout) {
    names.start();
    stores = new Fixture(database, time);
    watermark = CommitWatermark.alone(stores.ids, time);
    stores.environments.ensureDefault();
    token = key(null, Role.FULL);
    keys =
        new ApiKeys(
            stores.apiKeys, new JwtTokens(Jwts.SECRET, true, stores.environments, time), time);
    rules = new EventTypeRules(stores.eventTypes, evaluator, time);
    stores.events.afterCommit(
        EventTypesChanged.class, changed -> rules.forget(changed.environmentId()));
    stores.events.afterCommit(
        EnvironmentChanged.class, changed -> rules.forget(changed.environmentId()));
    stores.events.afterCommit(Event.class, _ -> signals.signal());
    acceptor = new FakeAcceptor(stores.applications, stores.ids);
    counters = new Counters(new CounterStore(database), stores.ids.next(), time);
    statistics = new StatisticsReader(new CounterStore(database), counters, time);
    taskStore = new TaskStore(database, time);
    tasks =
        new TaskRunner(
            database,
            taskStore,
            TaskWorks.all(
                new TaskWorks.Parts(
                    database,
                    stores.applications,
                    stores.endpoints,
                    acceptor,
                    statistics,
                    stores.events,
                    DeliveryListener.NONE,
                    watermark,
                    new ResealStore(database, stores.keyring, EndpointSecrets.SEALED),
                    time)),
            stores.events,
            stores.ids.next(),
            time);
    stores.events.afterCommit(TaskCreated.class, _ -> tasks.wake());
    tasks.start();
    server = server(database, requestTimeout);
    server.start();
  }

  /** One more server on a free port, not started. */
  public ApiServer server(Database database, Duration requestTimeout) {
    return new ApiServer(
        new ServerConfig(
            "127.0.0.1",
            0,
            Optional.empty(),
            List.of(),
            Optional.empty(),
            MAX_BODY,
            requestTimeout,
            1_000,
            Optional.empty(),
            Optional.empty(),
            200,
            0),
        new ApiServer.HttpServices(
            keys, repeated(database), new ManagementRate(0, () -> 1, time), time, stores.random),
        areas(database),
        HttpSurface.ALL);
  }

  public final Expressions expressions =
      new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, time);

  private IdempotentCalls repeated(Database database) {
    return new IdempotentCalls(
        database,
        stores.keyring,
        new ApplicationLookup(stores.applications)::keyScope,
        stores.ids,
        time,
        WINDOW);
  }

  private List<ApiArea> areas(Database database) {
    RoutingCache routings = new RoutingCache(stores.routing);
    AddressGuard guard = new AddressGuard(List.of(), names);
    ApplicationLookup applications = new ApplicationLookup(stores.applications);
    EndpointDependencies endpoints =
        new EndpointDependencies(
            stores.endpoints,
            stores.secrets,
            new EndpointChecks(
                UrlCheck.vetting(new TargetRules(true, List.of()), guard),
                expressions,
                SubscribableTypes.of(stores.environments, stores.eventTypes)),
            stores.signingKeys);
    LaneReader lanes = new LaneReader(database);
    DeliveryReaders readers = DeliveryReaders.of(database, DeliveryListener.NONE);
    MessageHistory history =
        new MessageHistory(database, new MessageReader(database), readers, watermark);
    Tasks started = new Tasks(taskStore, stores.ids, stores.events);
    Redrive redrive = new FixedRedrive();
    QueueStore queues = new QueueStore(database, stores.ids, time, EventPublisher.NONE);
    return List.of(
        new TenantArea(
            stores.applications,
            stores.endpoints,
            new TenantArea.Environments(stores.environments, stores.events),
            new TenantArea.Credentials(
                keys,
                stores.apiKeys,
                new IntegrationStore(
                    database, stores.apiKeys, stores.keyring, stores.ids, time, stores.random)),
            () -> URL,
            stores.ids,
            time),
        new CatalogArea(applications, stores.eventTypes, evaluator, started, () -> URL),
        new EndpointArea(
            applications,
            endpoints,
            new AgentRouteStore(database, stores.endpoints, stores.ids, time, stores.signingKeys),
            new OperationalWebhooks(stores.applications),
            test -> endpointTest.apply(test),
            lanes,
            statistics,
            time),
        new MessageArea(
            applications,
            stores.endpoints,
            new MessageArea.Sending(
                new CheckedAcceptor(
                    acceptor, rules, routings, new KeyWindow(time, WINDOW.toMillis())),
                new DryRuns(routings, stores.endpoints, expressions, time)),
            history,
            started,
            stores.ids,
            time),
        new DeliveryArea(
            applications,
            stores.endpoints,
            history,
            queues,
            stores.eventTypes,
            new DeliveryArea.Actions(redrive, canceler(), started),
            stores.ids,
            time),
        queueArea(database, applications, queues, readers),
        new SourceArea(applications, sources(database), endpoints, stores.random),
        new WorkflowArea(
            (_, _, _) -> CompletableFuture.completedFuture(new RunOutcome.NoSuchRun()), 1 << 20),
        new StatisticsArea(
            applications,
            stores.endpoints,
            new EndpointCounts(database),
            lanes,
            statistics,
            readers.attempts(),
            time),
        new OperationsArea(
            applications,
            started,
            new AuditStore(database),
            new FixedPruning(),
            configurator(database),
            () -> health,
            new LiveFeed(
                new LiveStore(database), stores.ids, time, Duration.ofHours(1), stores.events)),
        new AlertArea(stores.applications, endpoints),
        new ServerArea(() -> health, List.of()));
  }

  private ApiArea queueArea(
      Database database,
      ApplicationLookup applications,
      QueueStore queues,
      DeliveryReaders readers) {
    QueueFilter filter = new QueueFilter(expressions);
    return new QueueArea(
        applications,
        keys,
        QueueServices.of(
            storage(database),
            queues,
            new Queues(
                new QueueItemStore(database, stores.ids, EventTtl.NONE),
                new QueueContentStore(database, stores.ids),
                filter,
                DeliveryListener.NONE,
                time),
            filter),
        readers.deliveries(),
        expressions,
        stores.random,
        time);
  }

  private StorageServices storage(Database database) {
    return new StorageServices(
        database, stores.keyring, stores.ids, time, stores.signingKeys, watermark);
  }

  private Configurator configurator(Database database) {
    return new Configurator(
        storage(database),
        stores.random,
        new Configurator.Rules((_, _) -> null, compiler(), EndpointStore.DEFAULT_MAX_ACTIVE),
        stores.events);
  }

  private SourceCompiler compiler() {
    return new SourceCompiler(
        new Verifiers(new SnsCertificates(_ -> new byte[0], Set.of())), expressions, evaluator);
  }

  private SourceServices sources(Database database) {
    AtomicReference<SourceCache> cache = new AtomicReference<>();
    SourceStore sources =
        new SourceStore(
            database,
            stores.keyring,
            stores.applications,
            compiler(),
            stores.ids,
            time,
            stores.events);
    cache.set(new SourceCache(sources, time));
    stores.events.afterCommit(SourcesChanged.class, _ -> cache.get().changedHere());
    RejectedRequestStore rejected = new RejectedRequestStore(database);
    rejections = new Rejections(rejected, time);
    rejections.start();
    stores.events.afterCommit(
        InboundEvent.Rejected.class, event -> rejections.rejected(event.request()));
    ClientAddress addresses = new ClientAddress(List.of());
    return new SourceServices(
        new Gateway(
            cache.get(),
            acceptor,
            addresses,
            _ -> {},
            stores.events,
            new Gateway.Limits(100, 0, MAX_BODY),
            stores.ids,
            time),
        sources,
        rejected,
        new ReceivedReader(database),
        addresses,
        Optional.empty());
  }

  private Canceler canceler() {
    return new Canceler(
        new CancelStore(stores.database), stores.events, DeliveryListener.NONE, stores.ids, time);
  }

  private final class FixedRedrive implements Redrive {
    private final Redrive real =
        new Redriver(
            new RedriveStore(stores.database),
            stores.events,
            DeliveryListener.NONE,
            stores.ids,
            time);

    @Override
    public boolean redrive(ApplicationId applicationId, DeliveryView delivery) {
      return real.redrive(applicationId, delivery);
    }

    @Override
    public MessageId sendExample(
        ApplicationId applicationId, EndpointId endpointId, String eventType, byte[] payload) {
      return real.sendExample(applicationId, endpointId, eventType, payload);
    }

    @Override
    public ResendResult resend(
        ApplicationId applicationId, MessageId messageId, EndpointId endpointId) {
      return resend;
    }
  }

  public String key(@Nullable Id applicationId, Role role) {
    return stores
        .apiKeys
        .create(
            new NewKey(
                Environment.DEFAULT_ID, ApplicationId.orNull(applicationId), "test", role, null))
        .token();
  }

  /** An answer with its body as JSON; a missing body is JSON's null. */
  public record Answer(int status, JsonNode json, HttpResponse<String> response) {
    public int number(String pointer) {
      return json.at(pointer).asInt();
    }

    public String text(String pointer) {
      return json.at(pointer).asString();
    }
  }

  public Answer call(String method, String path, @Nullable String body, String... headers) {
    return call(
        token,
        method,
        path,
        body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body),
        headers);
  }

  public Answer callAs(String bearer, String method, String path, @Nullable String body) {
    return call(
        bearer,
        method,
        path,
        body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
  }

  public Answer call(
      String bearer, String method, String path, BodyPublisher body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).method(method, body).timeout(Duration.ofSeconds(20));
    if (!bearer.isEmpty()) {
      request.header("Authorization", "Bearer " + bearer);
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      JsonNode json =
          response.body().isEmpty()
              ? Json.MAPPER.nullNode()
              : Json.MAPPER.readTree(response.body());
      return new Answer(response.statusCode(), json, response);
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until the condition holds; fails after 60 s. */
  public void await(String what, BooleanSupplier condition) {
    signals.await(what, condition);
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  @Override
  public void close() {
    evaluator.close();
    client.close();
    server.close();
    tasks.stop();
    rejections.close();
    keys.close();
    names.close();
  }
}
