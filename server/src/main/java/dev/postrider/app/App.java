package dev.postrider.app;

import dev.postrider.api.ApiServer;
import dev.postrider.api.endpoint.UrlCheck;
import dev.postrider.api.http.HttpSurface;
import dev.postrider.api.http.PublicRoute;
import dev.postrider.api.ops.HealthSource;
import dev.postrider.config.Config;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.configfile.remote.RemoteState;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.engine.Engine;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.engine.services.EngineStatus;
import dev.postrider.engine.services.TargetServices;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.InboundEvent;
import dev.postrider.inbound.store.SourcesChanged;
import dev.postrider.observe.InboundMetrics;
import dev.postrider.observe.Metrics;
import dev.postrider.observe.OpenDeliveries;
import dev.postrider.options.Role;
import dev.postrider.storage.Database;
import java.net.URI;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The server: an engine with the API and the inbound gateway. */
public final class App implements AutoCloseable {
  private final Config config;
  private final Engine engine;
  private final EngineServices services;
  private final Metrics metrics;
  private final OpenDeliveries openDeliveries;
  private final CallerKeys callers;
  private final FileApplier file;
  private final Echo echo;
  private final InboundParts inbound;
  private final WorkflowParts workflows;
  private final ApiServer server;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean stopping;
  private @Nullable String generatedKey;

  private App(Config config, Engine engine, Metrics metrics, Providers providers) {
    this.config = config;
    this.engine = engine;
    this.services = engine.unwrap(EngineServices.class);
    this.metrics = metrics;
    this.echo = new Echo(services.storage().time());
    this.callers = CallerKeys.of(services, config.security());
    services
        .notifications()
        .events()
        .afterCommit(
            InboundEvent.class,
            new InboundMetrics(metrics.registry(), config.server().metricsLabels())::count);
    this.openDeliveries =
        new OpenDeliveries(
            services.storage().database(),
            metrics,
            () -> services.status().claimLag().toMillis(),
            services.storage().time(),
            config.server().metricsLabels());
    services.notifications().listeners().add(openDeliveries.lanes());
    services
        .notifications()
        .events()
        .afterCommit(SourcesChanged.class, _ -> openDeliveries.lanes().sourcesChanged());
    this.inbound = new InboundParts(services, config, services.tenants().applications(), providers);
    this.workflows = new WorkflowParts(services, config.role() != Role.API, this::url);
    UrlCheck urls = UrlCheck.vetting(services.targets().rules(), services.targets().guard());
    Configurator configurator =
        new Configurator(
            services.storage(),
            new SecureRandom(),
            new Configurator.Rules(
                urls::problem, inbound.makerInTransaction(), config.delivery().maxEndpoints()),
            services.notifications().events());
    this.file =
        new FileApplier(config.file(), configurator, services.storage().time(), new SecureRandom());
    this.server =
        new ApiComposition(
                services,
                config,
                callers,
                inbound,
                workflows,
                urls,
                configurator,
                new ApiComposition.ServerInfo(this::health, this::url, extras()))
            .server(isWorker() ? HttpSurface.WATCHING : HttpSurface.ALL);
  }

  private List<PublicRoute> extras() {
    PublicRoute scrape = new Scrape(metrics, config.server().metricsToken()).route();
    return config.server().hasEcho()
        ? List.of(scrape, new PublicRoute("POST", "/echo", false, echo::receive))
        : List.of(scrape);
  }

  /** Opens the database and builds the parts; nothing runs yet. */
  public static App open(Config config) {
    return open(config, Providers::onTheWeb);
  }

  /** With providers that a test simulates. */
  static App open(Config config, Function<TargetServices, Providers> providers) {
    ApiServer.checkFiles(config.server());
    Metrics metrics = new Metrics();
    Preparation preparation = new Preparation();
    preparation.start();
    Engine engine =
        Engine.builder()
            .database(config.storage().engine())
            .options(config.engine())
            .clock(MachineClock.chosen())
            .build();
    preparation.await();
    EngineServices services = engine.unwrap(EngineServices.class);
    services.notifications().listeners().add(metrics);
    return new App(config, engine, metrics, providers.apply(services.targets()));
  }

  /** When this returns, the server accepts requests. */
  public void start() {
    workflows.start();
    engine.start();
    generatedKey =
        services
            .tenants()
            .apiKeys()
            .bootstrap(config.security().apiKey().map(secret -> secret.reveal()).orElse(null))
            .orElse(null);
    gauges();
    openDeliveries.start();
    inbound.start();
    if (config.server().port() != 0) {
      openEcho(config.server().port());
    }
    applyFile();
    server.start();
    if (config.server().port() == 0) {
      openEcho(port());
    }
    workflows.startTimers();
  }

  private void applyFile() {
    try {
      file.atStart();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Reloads the configuration file. */
  public void reload() {
    file.reload();
  }

  /** Before the file is applied, if possible, because the file may refer to it. */
  private void openEcho(int port) {
    if (!hasEcho()) {
      return;
    }
    String url = echoUrl(port);
    try {
      services.targets().ownReceiver().open(url);
    } catch (BadTarget e) {
      System.getLogger(App.class.getName())
          .log(
              System.Logger.Level.DEBUG,
              "the echo receiver is not available at {0}: {1}",
              url,
              e.getMessage());
    }
  }

  private void gauges() {
    EngineStatus status = services.status();
    metrics.gauge(
        "postrider.in.flight",
        "Delivery attempts in progress",
        status,
        EngineStatus::attemptsInFlight);
    metrics.gauge(
        "postrider.leased",
        "Deliveries leased by this instance",
        status,
        EngineStatus::deliveriesLeased);
    metrics.gauge(
        "postrider.lanes.waiting",
        "Lanes with pending deliveries in this instance's memory",
        status,
        EngineStatus::lanesWaiting);
    metrics.gauge(
        "postrider.accept.waiting",
        "Messages in the accept queue, waiting for their commit",
        status,
        EngineStatus::acceptsWaiting);
    metrics.gauge(
        "postrider.finish.waiting",
        "Attempt results waiting to be recorded in the database",
        status,
        EngineStatus::finishesWaiting);
    metrics.gauge(
        "postrider.database.waiting",
        "Calls that wait for the database: for the writer or a reader of SQLite, or for a pooled"
            + " connection",
        services.storage().database(),
        Database::waiting);
    HttpSender http = services.targets().http();
    metrics.gauge(
        "postrider.connections.used",
        "Connections to endpoints, or to the egress proxy, that an attempt uses",
        http,
        HttpSender::leasedConnections);
    metrics.gauge(
        "postrider.connections.idle",
        "Connections to endpoints, or to the egress proxy, that are kept for later attempts",
        http,
        HttpSender::idleConnections);
    Evaluator evaluator = services.evaluation().evaluator();
    metrics.gauge(
        "postrider.evaluation.threads",
        "Size of the thread pool that evaluates expressions and schemas",
        evaluator,
        Evaluator::threads);
    metrics.gauge(
        "postrider.evaluation.busy",
        "Threads that are evaluating an expression or schema",
        evaluator,
        Evaluator::busyThreads);
    metrics.gauge(
        "postrider.evaluation.waiting",
        "Evaluations waiting for a free thread",
        evaluator,
        Evaluator::waiting);
    metrics.gauge(
        "postrider.evaluation.overdue",
        "Evaluations still running after their time limit",
        evaluator,
        Evaluator::overdue);
    metrics.count(
        "postrider.evaluation.refused",
        "Evaluations postponed because no thread became free in time",
        evaluator,
        Evaluator::refused);
    metrics.gauge(
        "postrider.healthy",
        "1 if the instance accepts work and its database responds, else 0",
        status,
        known -> known.isHealthy() ? 1 : 0);
    if (file.remote() != null) {
      metrics.gauge(
          "postrider.configuration.poll.age.seconds",
          "Time since the URL of the configuration file was last polled",
          this,
          App::secondsSincePoll);
    }
  }

  private double secondsSincePoll() {
    RemoteState state = file.remote();
    Long checkedAt = state == null ? null : state.checkedAtMs();
    return checkedAt == null
        ? Double.NaN
        : Math.max(0, services.storage().time().nowMs() - checkedAt) / 1000.0;
  }

  private HealthSource.@Nullable OpenDeliveries counted() {
    OpenDeliveries.Snapshot last = openDeliveries.last();
    return last == null
        ? null
        : new HealthSource.OpenDeliveries(
            last.waiting(),
            (long) last.oldestSeconds(),
            last.deadLetters(),
            last.approximated(),
            last.measuredAtMs());
  }

  private HealthSource.Report health() {
    return new HealthSource.Report(
        services.status().instance().text(IdKind.INSTANCE),
        services.status().databaseAnswers(),
        stopping,
        services.status().refusing(),
        file.remote(),
        counted());
  }

  /** The public URL. */
  public String url() {
    String scheme = config.server().tls().isPresent() ? "https" : "http";
    String host =
        config.server().host().contains(":")
            ? "[" + config.server().host() + "]"
            : config.server().host();
    return config
        .server()
        .publicUrl()
        .map(URI::toString)
        .orElse(scheme + "://" + host + ":" + port());
  }

  /** A worker only delivers; other instances serve the API. */
  boolean isWorker() {
    return config.role() == Role.WORKER;
  }

  /**
   * Whether the echo receiver can be an endpoint: with its own TLS certificate the server could not
   * verify itself.
   */
  boolean hasEcho() {
    return config.server().hasEcho() && !isWorker() && config.server().tls().isEmpty();
  }

  /** The URL of the echo receiver, always with the address that the server listens on. */
  public String echoUrl() {
    return echoUrl(port());
  }

  private String echoUrl(int port) {
    String host = config.server().host();
    String reachable =
        host.equals("0.0.0.0") || host.equals("::") || host.equals("localhost")
            ? "127.0.0.1"
            : host;
    return "http://"
        + (reachable.contains(":") ? "[" + reachable + "]" : reachable)
        + ":"
        + port
        + "/echo";
  }

  public int port() {
    return server.port();
  }

  /** The API key that was generated at the first start; shown once. */
  public Optional<String> generatedKey() {
    return Optional.ofNullable(generatedKey);
  }

  /** The counts of open deliveries, which are read at intervals. */
  public OpenDeliveries openDeliveries() {
    return openDeliveries;
  }

  ApiServer server() {
    return server;
  }

  public Engine engine() {
    return engine;
  }

  public Echo echo() {
    return echo;
  }

  /**
   * Drains and stops (engine rule 37): first the health check fails, then no new work is accepted,
   * then running work is finished. The port stays open meanwhile, so that load balancers see the
   * failing health check and clients get a 503 with Retry-After.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    stopping = true;
    file.close();
    engine.stopTakingWork();
    workflows.stopTakingWork();
    inbound.stopStreams();
    openDeliveries.stop();
    engine.drain();
    server.close();
    workflows.stop();
    inbound.close();
    callers.keys().close();
    engine.close();
  }
}
