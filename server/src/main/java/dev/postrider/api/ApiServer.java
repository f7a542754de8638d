package dev.postrider.api;

import static java.util.Objects.requireNonNull;

import dev.postrider.audit.AuditStore;
import dev.postrider.config.ServerConfig;
import dev.postrider.configfile.Configurator;
import dev.postrider.crypto.Keyring;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.loop.Redrive;
import dev.postrider.delivery.shape.Shaping;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.expression.Expressions;
import dev.postrider.id.Ids;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessageReader;
import dev.postrider.queue.QueueHistoryStore;
import dev.postrider.queue.QueueOffsetStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.queue.Queues;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.tenant.ApiKeyStore;
import dev.postrider.tenant.ApiKeys;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.IntegrationStore;
import dev.postrider.time.TimeSource;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.tls.Tls;
import io.helidon.http.DirectHandler;
import io.helidon.http.DirectHandler.EventType;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.ErrorHandling;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The HTTP server of the API. */
public final class ApiServer implements AutoCloseable {
  static final int MAX_HEADERS_BYTES = 16 * 1024;
  static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;
  static final int BACKLOG = 1_024;

  /** Helidon counts a little differently; ours is the count that decides. */
  private static final int SLACK_BYTES = 1_024;

  /** How long requests under way may take to end when the server stops. */
  static final Duration GRACE = Duration.ofSeconds(10);

  private final ServerConfig config;
  private final RequestTimeouts slow;
  private final RequestIds requestIds;
  private final Router router;
  private final Dispatcher dispatcher;
  private @Nullable WebServer server;

  /** What the API calls. */
  public record Parts(
      Database database,
      ApiKeys keys,
      ApiKeyStore keyStore,
      EnvironmentStore environments,
      Consumer<String> environmentChanged,
      ApplicationStore applications,
      EndpointStore endpoints,
      EndpointSecrets secrets,
      EventTypeStore eventTypes,
      Acceptor acceptor,
      MessageReader messages,
      AttemptReader attempts,
      DeliveryReader deliveries,
      Redrive redrive,
      UrlCheck urls,
      Expressions expressions,
      Evaluator evaluator,
      InboundParts inbound,
      RoutingCache routings,
      AgentRouteStore agentRoutes,
      Queues queues,
      DeliveryListener listener,
      HealthSource health,
      Operations operations,
      Keyring keyring,
      Ids ids,
      CommitWatermark watermark,
      Duration idempotencyWindow,
      Configurator configurator,
      TimeSource time,
      SecureRandom random,
      SigningKeyGenerator signingKeys) {}

  public ApiServer(ServerConfig config, Parts parts) {
    this(config, parts, List.of(), HttpSurface.ALL);
  }

  /**
   * @param extras public paths beside the API
   */
  public ApiServer(ServerConfig config, Parts parts, List<PublicRoute> extras, HttpSurface offer) {
    this.config = config;
    this.requestIds = new RequestIds(parts.random());
    this.slow =
        new RequestTimeouts(
            Http1ConnectionSelector.builder()
                .config(
                    Http1Config.builder()
                        .maxHeadersSize(MAX_HEADERS_BYTES + SLACK_BYTES)
                        .maxPrologueLength(MAX_REQUEST_LINE_BYTES + SLACK_BYTES)
                        // RequestHead has done so, and takes the [] that clients put there.
                        .validatePrologue(false)
                        .build())
                .build(),
            config.requestTimeout(),
            parts.time());
    IdempotentCalls repeated =
        new IdempotentCalls(
            parts.database(),
            parts.keyring(),
            parts.ids(),
            parts.time(),
            parts.idempotencyWindow());
    this.router = routes(parts, repeated, extras);
    this.dispatcher =
        new Dispatcher(
            router,
            parts.keys(),
            new Bodies(config.maxBodyBytes(), slow),
            slow,
            repeated,
            requestIds,
            offer);
  }

  private static Router routes(Parts parts, IdempotentCalls repeated, List<PublicRoute> extras) {
    ApplicationLookup applications = new ApplicationLookup(parts.applications());
    EndpointServices services =
        new EndpointServices(
            parts.endpoints(),
            parts.secrets(),
            new EndpointChecks(
                parts.urls(),
                parts.expressions(),
                SubscribableTypes.of(parts.environments(), parts.eventTypes())),
            parts.signingKeys());
    EndpointLookup endpoints = services.lookup();
    MessageLookup messageLookup = new MessageLookup(parts.messages());
    ContentStore content = new ContentStore(parts.database(), parts.listener());
    LaneReader lanes = new LaneReader(parts.database());
    Operations operations = parts.operations();
    MessageCalls messages =
        new MessageCalls(
            applications,
            endpoints,
            parts.database(),
            parts.messages(),
            parts.deliveries(),
            content,
            parts.watermark(),
            parts.ids(),
            parts.time());
    AttemptCalls attempts =
        new AttemptCalls(
            applications,
            endpoints,
            messageLookup,
            parts.attempts(),
            parts.deliveries(),
            parts.redrive(),
            content,
            parts.ids());
    MessageSends sends =
        new MessageSends(
            applications,
            parts.acceptor(),
            new DryRunCalls(
                parts.routings(),
                parts.endpoints(),
                parts.messages(),
                new Shaping(parts.expressions()),
                parts.time()),
            parts.time());
    ApiKeyCalls keyCalls =
        new ApiKeyCalls(applications, parts.keyStore(), parts.keys(), parts.time());
    QueueStore queues =
        new QueueStore(
            parts.database(), parts.ids(), parts.time(), parts.listener()::statusChanged);
    Router router =
        Routes.all(
            new ApplicationCalls(applications, parts.applications(), parts.endpoints()),
            new EndpointCalls(applications::inPath, services),
            new EndpointCalls(
                call -> operations.operational().of(call.environmentId()),
                services.withServerEventTypes()),
            EventTypeCalls.ofEnvironment(parts.eventTypes(), parts.evaluator()),
            EventTypeCalls.ofApplication(parts.eventTypes(), parts.evaluator(), applications),
            new EventTypeImportCalls(parts.eventTypes()),
            new EnvironmentCalls(
                parts.environments(), keyCalls, parts.environmentChanged(), parts.ids()),
            sends,
            new MessageBatches(
                applications, sends, parts.acceptor(), parts.messages(), repeated, parts.time()),
            messages,
            attempts,
            new DeliveryCalls(
                applications,
                endpoints,
                queues,
                parts.messages(),
                parts.deliveries(),
                parts.redrive()),
            new EndpointHealthCalls(
                applications,
                endpoints,
                parts.endpoints(),
                lanes,
                operations.statistics(),
                parts.time()),
            new RecoverCalls(applications, endpoints, operations.tasks(), parts.time()),
            new BulkMessageCalls(applications, sends, operations.tasks(), parts.time()),
            new TaskCalls(applications, operations.tasks()),
            new StatisticsCalls(
                applications, endpoints, lanes, operations.statistics(), parts.time()),
            new ExampleCalls(applications, endpoints, parts.eventTypes(), parts.redrive()),
            keyCalls,
            new PortalCalls(
                applications, parts.keyStore(), parts.keys(), operations.serverUrl(), parts.time()),
            new AuditCalls(applications, new AuditStore(parts.database())),
            new Health(parts.health()));
    Routes.upkeep(router, new PruneCalls(operations.pruning()));
    Routes.configuration(router, new ConfigurationCalls(parts.configurator()));
    new IngestCalls(applications, parts.inbound(), parts.random()).addTo(router, services);
    Routes.addInbound(
        router,
        new SourceCalls(parts.inbound()),
        new InboundCalls(parts.inbound()),
        new LiveCalls(applications, parts.inbound().live()),
        new AlertTargetCalls(
            parts.applications(), parts.endpoints(), parts.urls(), parts.signingKeys()));
    QueueAccess access = new QueueAccess(applications, queues, parts.keys());
    PollerCalls poller =
        new PollerCalls(
            access,
            new QueueHistoryStore(parts.database(), parts.watermark(), parts.time()),
            new Shaping(parts.expressions()));
    Routes.shaping(
        router,
        new ExpressionCalls(parts.expressions()),
        new TransformationCalls(applications::inPath, services),
        new AgentRouteCalls(
            applications, parts.agentRoutes(), parts.endpoints(), services.checks()),
        new QueueCalls(
            applications,
            queues,
            parts.queues(),
            access,
            parts.deliveries(),
            parts.expressions(),
            parts.random(),
            parts.time()),
        poller);
    Routes.hosted(
        router,
        new IntegrationCalls(
            applications,
            new IntegrationStore(
                parts.database(),
                parts.keyStore(),
                parts.keyring(),
                parts.ids(),
                parts.time(),
                parts.random()),
            parts.keys()),
        attempts,
        new AttemptStatistics(
            applications,
            operations.statistics(),
            parts.attempts(),
            new EndpointCounts(parts.database()),
            parts.time()),
        new EventTypeExportCalls(parts.eventTypes(), operations.tasks(), operations.serverUrl()),
        new PollingEndpointCalls(
            applications,
            access,
            poller,
            queues,
            new QueueOffsetStore(parts.database(), parts.time()),
            new QueueTokenStore(
                parts.database(), parts.keyring(), parts.ids(), parts.time(), parts.random()),
            parts.time()));
    Routes.addDocs(router, new Docs(router::routes));
    extras.forEach(
        extra -> {
          Action action = call -> call.extra(extra.handler());
          if (extra.onWorkers()) {
            router.add(
                extra.method(), extra.path(), Scope.PUBLIC, action, RouteAttribute.ON_WORKER);
          } else {
            router.add(extra.method(), extra.path(), Scope.PUBLIC, action);
          }
        });
    return router;
  }

  /** The route table. */
  List<Router.Route> routes() {
    return router.routes();
  }

  /** Loads the web server's classes ahead of their use, which takes a while. */
  public static void load() {
    HttpRouting.Builder _ = HttpRouting.builder();
  }

  /** Listens; with port 0 on a free one. */
  public void start() {
    WebServerConfig.Builder builder =
        WebServer.builder()
            .host(config.host())
            .port(config.port())
            .backlog(BACKLOG)
            .shutdownHook(false)
            .shutdownGracePeriod(GRACE)
            .maxTcpConnections(config.maxConnections())
            .connectionOptions(
                SocketOptions.builder()
                    .readTimeout(config.requestTimeout())
                    .tcpNoDelay(true)
                    .build())
            // The only one, so that a connection is ours before its first byte.
            .protocolsDiscoverServices(false)
            .addConnectionSelector(slow)
            .contentEncoding(new PlainBodies())
            .errorHandling(ErrorHandling.builder().includeEntity(true).build())
            .directHandlers(transportErrors())
            .routing(routing -> routing.any(dispatcher));
    config.tls().ifPresent(tls -> builder.tls(tls(tls)));
    slow.start();
    server = builder.build().start();
  }

  /** Complains about TLS files that cannot be used, before anything is opened or started. */
  public static void checkFiles(ServerConfig config) {
    config.tls().ifPresent(ApiServer::tls);
  }

  private static Tls tls(ServerConfig.Tls files) {
    try {
      Keys keys =
          Keys.builder()
              .pem(
                  pem ->
                      pem.key(Resource.create(files.keyFile()))
                          .certChain(Resource.create(files.certFile())))
              .build();
      return Tls.builder()
          .privateKey(keys.privateKey().orElseThrow())
          .privateKeyCertChain(keys.certChain())
          .build();
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "cannot use POSTRIDER_TLS_CERT_FILE %s with POSTRIDER_TLS_KEY_FILE %s: the first has to hold a certificate chain and the second its PKCS #8 private key without a password, both as PEM"
              .formatted(files.certFile(), files.keyFile()),
          e);
    }
  }

  /** What is wrong before a request reaches us gets the same kind of body. */
  private DirectHandlers transportErrors() {
    DirectHandler handler =
        (request, type, status, headers, message) ->
            TransportResponse.builder()
                .status(status)
                .headers(headers)
                .header(HeaderNames.CONTENT_TYPE, "application/json")
                .header(RequestIds.HEADER, requestIds.next())
                .header(Dispatcher.NO_SNIFF)
                .entity(
                    JsonOut.bytes(
                        out ->
                            out.object(
                                o ->
                                    o.text("code", Errors.NOT_HTTP)
                                        .text("detail", Errors.notHttp(message)))))
                .build();
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, handler);
    }
    return handlers.build();
  }

  /** The port that it listens on. */
  public int port() {
    return requireNonNull(server, "the API server is not started").port();
  }

  /** Stops listening, lets requests under way end, then closes. */
  @Override
  public void close() {
    if (server != null) {
      server.stop();
    }
    slow.close();
  }
}
