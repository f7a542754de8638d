package dev.postrider.app;

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
import dev.postrider.api.source.SourceArea;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.api.tenant.TenantArea;
import dev.postrider.config.Config;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.time.TimeSource;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Supplier;

/** Builds the parts of the API and the HTTP server that serves them. */
final class ApiComposition {
  private final EngineServices engine;
  private final Config config;
  private final CallerKeys callers;
  private final InboundParts inbound;
  private final WorkflowParts workflows;
  private final Configurator configurator;
  private final ServerInfo info;

  private final Database database;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random = new SecureRandom();
  private final ApplicationLookup applications;
  private final EndpointDependencies endpoints;
  private final MessageHistory history;
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
      CallerKeys callers,
      InboundParts inbound,
      WorkflowParts workflows,
      UrlCheck urls,
      Configurator configurator,
      ServerInfo info) {
    this.engine = engine;
    this.config = config;
    this.callers = callers;
    this.inbound = inbound;
    this.workflows = workflows;
    this.configurator = configurator;
    this.info = info;
    this.database = engine.storage().database();
    this.ids = engine.storage().ids();
    this.time = engine.storage().time();
    this.applications = new ApplicationLookup(engine.tenants().applications());
    this.endpoints =
        new EndpointDependencies(
            engine.endpoints().store(),
            engine.endpoints().secrets(),
            new EndpointChecks(
                urls,
                engine.evaluation().expressions(),
                SubscribableTypes.of(engine.tenants().environments(), engine.eventTypes().store())),
            engine.storage().signingKeys());
    this.history =
        new MessageHistory(
            database,
            engine.messages().reader(),
            engine.deliveries().readers(),
            engine.storage().watermark());
    this.repeated =
        new IdempotentCalls(
            database,
            engine.storage().keyring(),
            applications::keyScope,
            ids,
            time,
            config.accept().idempotencyWindow());
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
            engine.tenants().operationalWebhooks(),
            engine.deliveries().tests(),
            engine.deliveries().readers().lanes(),
            engine.deliveries().statistics(),
            time),
        messages(),
        deliveries(),
        queues(),
        new SourceArea(applications, inbound.services(), endpoints, random),
        workflows.area(),
        statistics(),
        new OperationsArea(
            applications,
            engine.operations().tasks(),
            engine.operations().audit(),
            engine.operations().pruning(),
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
        new TenantArea.Environments(
            engine.tenants().environments(), engine.notifications().events()),
        new TenantArea.Credentials(
            callers.keys(), engine.tenants().apiKeys(), engine.tenants().integrations()),
        info.url(),
        ids,
        time);
  }

  private ApiArea messages() {
    return new MessageArea(
        applications,
        engine.endpoints().store(),
        new MessageArea.Sending(engine.messages().acceptor(), engine.messages().dryRuns()),
        history,
        engine.operations().tasks(),
        ids,
        time);
  }

  private ApiArea deliveries() {
    return new DeliveryArea(
        applications,
        engine.endpoints().store(),
        history,
        engine.queues().store(),
        engine.eventTypes().store(),
        new DeliveryArea.Actions(
            engine.deliveries().redrive(),
            engine.deliveries().cancel(),
            engine.operations().tasks()),
        ids,
        time);
  }

  private ApiArea queues() {
    return new QueueArea(
        applications,
        callers.keys(),
        engine.queues(),
        engine.deliveries().readers().deliveries(),
        engine.evaluation().expressions(),
        random,
        time);
  }

  private ApiArea statistics() {
    return new StatisticsArea(
        applications,
        engine.endpoints().store(),
        engine.endpoints().counts(),
        engine.deliveries().readers().lanes(),
        engine.deliveries().statistics(),
        engine.deliveries().readers().attempts(),
        time);
  }
}
