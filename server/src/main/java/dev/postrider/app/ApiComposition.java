package dev.postrider.app;

import dev.postrider.api.ApiServer;
import dev.postrider.api.catalog.CatalogArea;
import dev.postrider.api.endpoint.EndpointArea;
import dev.postrider.api.endpoint.EndpointChecks;
import dev.postrider.api.endpoint.EndpointServices;
import dev.postrider.api.endpoint.SubscribableTypes;
import dev.postrider.api.endpoint.UrlCheck;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.HttpSurface;
import dev.postrider.api.http.IdempotentCalls;
import dev.postrider.api.http.ManagementRate;
import dev.postrider.api.http.PublicRoute;
import dev.postrider.api.message.DeliveryArea;
import dev.postrider.api.message.MessageArea;
import dev.postrider.api.message.MessageHistory;
import dev.postrider.api.ops.AlertArea;
import dev.postrider.api.ops.HealthSource;
import dev.postrider.api.ops.OperationsArea;
import dev.postrider.api.ops.ServerArea;
import dev.postrider.api.ops.StatisticsArea;
import dev.postrider.api.queue.QueueArea;
import dev.postrider.engine.services.QueueServices;
import dev.postrider.api.source.SourceArea;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.api.tenant.TenantArea;
import dev.postrider.audit.AuditStore;
import dev.postrider.config.Config;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.delivery.shape.Shaping;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.id.Ids;
import dev.postrider.maintenance.PruneRuns;
import dev.postrider.message.MessageReader;
import dev.postrider.queue.QueueHistoryStore;
import dev.postrider.queue.QueueOffsetStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.storage.Database;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.tenant.key.IntegrationStore;
import dev.postrider.time.TimeSource;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Supplier;

/** Builds the parts of the API and the HTTP server that serves them. */
final class ApiComposition {
  private final EngineServices engine;
  private final Config config;
  private final Callers callers;
  private final Inbound inbound;
  private final Configurator configurator;
  private final ServerInfo info;

  private final Database database;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random = new SecureRandom();
  private final ApplicationLookup applications;
  private final EndpointServices endpoints;
  private final LaneReader lanes;
  private final MessageHistory history;
  private final QueueStore queues;
  private final IdempotentCalls repeated;

  /**
   * URL and public paths of the server.
   *
   * @param url the public URL
   * @param extras public paths in addition to the API
   */
  record ServerInfo(HealthSource health, Supplier<String> url, List<PublicRoute> extras) {}

  ApiComposition(
      EngineServices engine,
      Config config,
      Callers callers,
      Inbound inbound,
      UrlCheck urls,
      Configurator configurator,
      ServerInfo info) {
    this.engine = engine;
    this.config = config;
    this.callers = callers;
    this.inbound = inbound;
    this.configurator = configurator;
    this.info = info;
    this.database = engine.storage().database();
    this.ids = engine.storage().ids();
    this.time = engine.storage().time();
    this.applications = new ApplicationLookup(engine.tenants().applications());
    this.endpoints =
        new EndpointServices(
            engine.endpoints().store(),
            engine.endpoints().secrets(),
            new EndpointChecks(
                urls,
                engine.evaluation().expressions(),
                SubscribableTypes.of(callers.environments(), engine.eventTypes().store())),
            engine.storage().signingKeys());
    this.lanes = new LaneReader(database);
    this.history =
        new MessageHistory(
            database,
            new MessageReader(database),
            new DeliveryReader(database),
            new AttemptReader(database),
            new ContentStore(database, engine.notifications().deliveries()),
            engine.storage().watermark());
    this.queues = new QueueStore(database, ids, time, engine.notifications().events());
    this.repeated =
        new IdempotentCalls(
            database,
            engine.storage().keyring(),
            ids,
            time,
            config.accept().idempotencyWindow(),
            config.accept().idempotencyMaxWindow());
  }

  ApiServer server(HttpSurface offer) {
    return new ApiServer(
        config.server(),
        new ApiServer.HttpServices(
            callers.keys(),
            repeated,
            new ManagementRate(
                config.server().managementRate(), engine.status()::acceptingInstances, time),
            time,
            random),
        areas(),
        offer);
  }

  private List<ApiArea> areas() {
    return List.of(
        tenants(),
        new CatalogArea(
            applications,
            engine.eventTypes().store(),
            engine.evaluation().evaluator(),
            engine.operations().tasks(),
            info.url()),
        new EndpointArea(
            applications,
            endpoints,
            engine.endpoints().agentRoutes(),
            new OperationalWebhooks(engine.tenants().applications()),
            engine.deliveries().tests(),
            lanes,
            engine.operations().statistics(),
            time),
        messages(),
        deliveries(),
        queues(),
        new SourceArea(applications, inbound.services(), endpoints, random),
        statistics(),
        new OperationsArea(
            applications,
            engine.operations().tasks(),
            new AuditStore(database),
            new PruneRequests(new PruneRuns(database, time), engine.operations().pruner()::wake),
            configurator,
            info.health(),
            inbound.live()),
        new AlertArea(engine.tenants().applications(), endpoints),
        new ServerArea(info.health(), info.extras()));
  }

  private ApiArea tenants() {
    return new TenantArea(
        engine.tenants().applications(),
        engine.endpoints().store(),
        new TenantArea.Environments(callers.environments(), engine.notifications().events()),
        new TenantArea.Credentials(
            callers.keys(),
            callers.store(),
            new IntegrationStore(
                database, callers.store(), engine.storage().keyring(), ids, time, random)),
        info.url(),
        ids,
        time);
  }

  private ApiArea messages() {
    return new MessageArea(
        applications,
        engine.endpoints().store(),
        new MessageArea.Sending(
            engine.messages().acceptor(),
            engine.messages().routings(),
            new Shaping(engine.evaluation().expressions())),
        history,
        engine.operations().tasks(),
        repeated,
        ids,
        time);
  }

  private ApiArea deliveries() {
    return new DeliveryArea(
        applications,
        engine.endpoints().store(),
        history,
        queues,
        engine.eventTypes().store(),
        new DeliveryArea.Actions(
            engine.deliveries().redrive(),
            engine.deliveries().canceler(),
            engine.operations().tasks()),
        ids,
        time);
  }

  private ApiArea queues() {
    return new QueueArea(
        applications,
        callers.keys(),
        new QueueServices(
            queues,
            engine.deliveries().queues(),
            new QueueHistoryStore(database, engine.storage().watermark(), time),
            new QueueOffsetStore(database, time),
            new QueueTokenStore(database, engine.storage().keyring(), ids, time, random)),
        history.deliveries(),
        engine.evaluation().expressions(),
        random,
        time);
  }

  private ApiArea statistics() {
    return new StatisticsArea(
        applications,
        engine.endpoints().store(),
        new EndpointCounts(database),
        lanes,
        engine.operations().statistics(),
        history.attempts(),
        time);
  }
}
