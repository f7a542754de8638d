package dev.postrider.api;

import static dev.postrider.api.Scope.APPLICATION;
import static dev.postrider.api.Scope.CATALOG;
import static dev.postrider.api.Scope.ENVIRONMENT;
import static dev.postrider.api.Scope.PUBLIC;
import static dev.postrider.api.Scope.SELF;

import java.util.Set;

/** Every path of the API. {@code {}} is an id or the caller's own uid. */
final class Routes {
  private static final String V1 = "/api/v1";

  /** Sends keep their idempotency keys with the message, in its own transaction. */
  static final Set<String> OWN_IDEMPOTENCY = Set.of(V1 + "/app/{}/msg", V1 + "/app/{}/msg/batch");

  /** Reading these changes something, or does not end: nobody does it for its head alone. */
  static final Set<String> NO_HEAD =
      Set.of(
          V1 + "/app/{}/queue/{}/messages",
          V1 + "/app/{}/poller/{}/consumer/{}",
          V1 + "/app/{}/polling-endpoint/{}/consumer/{}",
          V1 + "/live");

  /** Their answers have no length, so they come in chunks, which HTTP/1.0 does not have. */
  static final Set<String> STREAMS = Set.of(V1 + "/live");

  /**
   * Where clients of Svix send bodies. A newer client may send a field that this server does not
   * know, so these are ignored and told; everywhere else an unknown field is refused.
   */
  static final Set<String> SVIX_BODIES =
      Set.of(
          V1 + "/app",
          V1 + "/app/{}",
          V1 + "/app/{}/endpoint",
          V1 + "/app/{}/endpoint/{}",
          V1 + "/app/{}/endpoint/{}/headers",
          V1 + "/app/{}/endpoint/{}/secret/rotate",
          V1 + "/app/{}/endpoint/{}/recover",
          V1 + "/app/{}/endpoint/{}/replay-missing",
          V1 + "/app/{}/endpoint/{}/bulk-replay",
          V1 + "/app/{}/endpoint/{}/send-example",
          V1 + "/app/{}/endpoint/{}/transformation",
          V1 + "/app/{}/integration",
          V1 + "/app/{}/integration/{}",
          V1 + "/app/{}/msg",
          V1 + "/app/{}/msg/bulk-expunge",
          V1 + "/app/{}/msg/precheck/active",
          V1 + "/app/{}/poller/{}/consumer/{}/seek",
          V1 + "/app/{}/polling-endpoint/{}/consumer/{}/commit",
          V1 + "/auth/app-portal-access/{}",
          V1 + "/auth/app/{}/expire-all",
          V1 + "/auth/app/{}/poller/{}/token/rotate",
          V1 + "/event-type",
          V1 + "/event-type/{}",
          V1 + "/event-type/import/openapi",
          V1 + "/msg/broadcast",
          V1 + "/operational-webhook/endpoint",
          V1 + "/operational-webhook/endpoint/{}",
          V1 + "/operational-webhook/endpoint/{}/headers",
          V1 + "/operational-webhook/endpoint/{}/secret/rotate",
          V1 + "/stats/usage/app",
          IngestCalls.SOURCES,
          IngestCalls.SOURCES + "/{}",
          IngestCalls.SOURCES + "/{}/endpoint",
          IngestCalls.SOURCES + "/{}/endpoint/{}",
          IngestCalls.SOURCES + "/{}/endpoint/{}/headers",
          IngestCalls.SOURCES + "/{}/endpoint/{}/secret/rotate",
          IngestCalls.SOURCES + "/{}/endpoint/{}/transformation");

  private Routes() {}

  static Router all(
      ApplicationCalls app,
      EndpointCalls ep,
      EndpointCalls operational,
      EventTypeCalls type,
      EventTypeCalls ownType,
      EventTypeImportCalls typeImport,
      EnvironmentCalls environment,
      MessageSends send,
      MessageBatches batch,
      MessageCalls msg,
      AttemptCalls attempt,
      DeliveryCalls delivery,
      EndpointHealthCalls care,
      RecoverCalls recovery,
      BulkMessageCalls bulk,
      TaskCalls task,
      StatisticsCalls statistics,
      ExampleCalls example,
      ApiKeyCalls key,
      PortalCalls portal,
      AuditCalls audit,
      Health health) {
    return new Router()
        .add("GET", V1 + "/app", ENVIRONMENT, app::list)
        .add("POST", V1 + "/app", ENVIRONMENT, app::create)
        .add("GET", V1 + "/app/{}", APPLICATION, app::get)
        .add("PUT", V1 + "/app/{}", ENVIRONMENT, app::put)
        .add("PATCH", V1 + "/app/{}", APPLICATION, app::patch)
        .add("DELETE", V1 + "/app/{}", ENVIRONMENT, app::delete)
        .addSecret("GET", V1 + "/app/{}/secret", APPLICATION, ep::applicationSecret)
        .add("POST", V1 + "/app/{}/secret/rotate", APPLICATION, ep::rotateApplicationSecret)
        .add("GET", V1 + "/app/{}/endpoint", APPLICATION, ep::list)
        .add("POST", V1 + "/app/{}/endpoint", APPLICATION, ep::create)
        .add("GET", V1 + "/app/{}/endpoint/{}", APPLICATION, ep::get)
        .add("PUT", V1 + "/app/{}/endpoint/{}", APPLICATION, ep::put)
        .add("PATCH", V1 + "/app/{}/endpoint/{}", APPLICATION, ep::patch)
        .add("DELETE", V1 + "/app/{}/endpoint/{}", APPLICATION, ep::delete)
        .add("GET", V1 + "/app/{}/endpoint/{}/headers", APPLICATION, ep::headers)
        .add("PUT", V1 + "/app/{}/endpoint/{}/headers", APPLICATION, ep::putHeaders)
        .add("PATCH", V1 + "/app/{}/endpoint/{}/headers", APPLICATION, ep::patchHeaders)
        .addSecret("GET", V1 + "/app/{}/endpoint/{}/secret", APPLICATION, ep::secret)
        .addSecret("POST", V1 + "/app/{}/endpoint/{}/secret/rotate", APPLICATION, ep::rotateAndShow)
        .add("POST", V1 + "/app/{}/endpoint/{}/recover", APPLICATION, recovery::recover)
        .add("POST", V1 + "/app/{}/endpoint/{}/redrive", APPLICATION, recovery::redrive)
        .add(
            "POST", V1 + "/app/{}/endpoint/{}/replay-missing", APPLICATION, recovery::replayMissing)
        .add("POST", V1 + "/app/{}/endpoint/{}/bulk-replay", APPLICATION, recovery::bulkReplay)
        .add("POST", V1 + "/app/{}/endpoint/{}/send-example", APPLICATION, example::send)
        .add("GET", V1 + "/app/{}/endpoint/{}/stats", APPLICATION, care::stats)
        .add("GET", V1 + "/app/{}/statistics", APPLICATION, statistics::ofApplication)
        .add("GET", V1 + "/app/{}/endpoint/{}/statistics", APPLICATION, statistics::ofEndpoint)
        .add("GET", V1 + "/app/{}/endpoint/{}/health", APPLICATION, care::health)
        .add("POST", V1 + "/app/{}/endpoint/{}/pause", APPLICATION, care::pause)
        .add("POST", V1 + "/app/{}/endpoint/{}/resume", APPLICATION, care::resume)
        .add("POST", V1 + "/app/{}/endpoint/{}/reset-circuit", APPLICATION, care::resetCircuit)
        .add("GET", V1 + "/app/{}/delivery", APPLICATION, delivery::list)
        .add("GET", V1 + "/app/{}/delivery/{}", APPLICATION, delivery::get)
        .add("POST", V1 + "/app/{}/delivery/{}/retry", APPLICATION, delivery::retry)
        .add("GET", V1 + "/app/{}/endpoint/{}/msg", APPLICATION, msg::ofEndpoint)
        .add("POST", V1 + "/app/{}/msg", APPLICATION, send::create)
        .add("POST", V1 + "/app/{}/msg/batch", APPLICATION, batch::create)
        .add("POST", V1 + "/app/{}/msg/precheck/active", APPLICATION, send::precheck)
        .add("GET", V1 + "/app/{}/msg", APPLICATION, msg::list)
        .add("POST", V1 + "/app/{}/msg/bulk-expunge", APPLICATION, msg::bulkExpunge)
        .add("POST", V1 + "/app/{}/msg/expunge-all-contents", APPLICATION, bulk::expungeAll)
        .add("GET", V1 + "/app/{}/msg/{}", APPLICATION, msg::get)
        .add("GET", V1 + "/app/{}/msg/{}/raw", APPLICATION, msg::raw)
        .add("DELETE", V1 + "/app/{}/msg/{}/content", APPLICATION, msg::expunge)
        .add("GET", V1 + "/app/{}/msg/{}/attempt", APPLICATION, attempt::ofMessage)
        .add("GET", V1 + "/app/{}/msg/{}/attempt/{}", APPLICATION, attempt::get)
        .add("DELETE", V1 + "/app/{}/msg/{}/attempt/{}/content", APPLICATION, attempt::expunge)
        .add(
            "GET",
            V1 + "/app/{}/msg/{}/endpoint/{}/attempt",
            APPLICATION,
            attempt::ofMessageAndEndpoint)
        .add("GET", V1 + "/app/{}/msg/{}/endpoint", APPLICATION, attempt::destinations)
        .add("POST", V1 + "/app/{}/msg/{}/endpoint/{}/resend", APPLICATION, attempt::resend)
        .add("GET", V1 + "/app/{}/attempt/msg/{}", APPLICATION, attempt::ofMessage)
        .add("GET", V1 + "/app/{}/attempt/endpoint/{}", APPLICATION, attempt::ofEndpoint)
        .add("GET", V1 + "/event-type", CATALOG, type::list)
        .add("POST", V1 + "/event-type", ENVIRONMENT, type::create)
        .add("GET", V1 + "/event-type/{}", CATALOG, type::get)
        .add("PUT", V1 + "/event-type/{}", ENVIRONMENT, type::put)
        .add("PATCH", V1 + "/event-type/{}", ENVIRONMENT, type::patch)
        .add("DELETE", V1 + "/event-type/{}", ENVIRONMENT, type::delete)
        .add("POST", V1 + "/event-type/import/openapi", ENVIRONMENT, typeImport::openApi)
        .add("GET", V1 + "/app/{}/event-type", APPLICATION, ownType::list)
        .add("POST", V1 + "/app/{}/event-type", APPLICATION, ownType::create)
        .add("GET", V1 + "/app/{}/event-type/{}", APPLICATION, ownType::get)
        .add("PUT", V1 + "/app/{}/event-type/{}", APPLICATION, ownType::put)
        .add("PATCH", V1 + "/app/{}/event-type/{}", APPLICATION, ownType::patch)
        .add("DELETE", V1 + "/app/{}/event-type/{}", APPLICATION, ownType::delete)
        .add("GET", V1 + "/environment", ENVIRONMENT, environment::get)
        .add("PATCH", V1 + "/environment", ENVIRONMENT, environment::patch)
        .add("GET", V1 + "/environments", ENVIRONMENT, environment::list)
        .add("POST", V1 + "/environments", ENVIRONMENT, environment::create)
        .add("GET", V1 + "/environments/{}", ENVIRONMENT, environment::getNamed)
        .add("PATCH", V1 + "/environments/{}", ENVIRONMENT, environment::patchNamed)
        .addSecret("POST", V1 + "/environments/{}/api-key", ENVIRONMENT, environment::createKey)
        .add("POST", V1 + "/msg/broadcast", ENVIRONMENT, bulk::broadcast)
        .add("POST", V1 + "/stats/usage/app", ENVIRONMENT, task::usage)
        .add("PUT", V1 + "/stats/usage/event-types", ENVIRONMENT, task::aggregateEventTypes)
        .add("GET", V1 + "/operational-webhook/endpoint", ENVIRONMENT, operational::list)
        .add("POST", V1 + "/operational-webhook/endpoint", ENVIRONMENT, operational::create)
        .add("GET", V1 + "/operational-webhook/endpoint/{}", ENVIRONMENT, operational::get)
        .add("PUT", V1 + "/operational-webhook/endpoint/{}", ENVIRONMENT, operational::put)
        .add("PATCH", V1 + "/operational-webhook/endpoint/{}", ENVIRONMENT, operational::patch)
        .add("DELETE", V1 + "/operational-webhook/endpoint/{}", ENVIRONMENT, operational::delete)
        .add(
            "GET",
            V1 + "/operational-webhook/endpoint/{}/headers",
            ENVIRONMENT,
            operational::headers)
        .add(
            "PUT",
            V1 + "/operational-webhook/endpoint/{}/headers",
            ENVIRONMENT,
            operational::putHeaders)
        .addSecret(
            "GET", V1 + "/operational-webhook/endpoint/{}/secret", ENVIRONMENT, operational::secret)
        .add(
            "POST",
            V1 + "/operational-webhook/endpoint/{}/secret/rotate",
            ENVIRONMENT,
            operational::rotate)
        .add("GET", V1 + "/background-task", ENVIRONMENT, task::list)
        .add("GET", V1 + "/background-task/{}", ENVIRONMENT, task::get)
        .add("GET", V1 + "/auth/api-key", ENVIRONMENT, key::list)
        .addSecret("POST", V1 + "/auth/api-key", ENVIRONMENT, key::create)
        .add("DELETE", V1 + "/auth/api-key/{}", ENVIRONMENT, key::revoke)
        .addSecret("POST", V1 + "/auth/app-portal-access/{}", ENVIRONMENT, portal::grant)
        .addSecret("POST", V1 + "/auth/dashboard-access/{}", ENVIRONMENT, portal::dashboard)
        .add("POST", V1 + "/auth/app/{}/expire-all", ENVIRONMENT, portal::expireAll)
        .add("POST", V1 + "/auth/logout", SELF, key::logout)
        .add("GET", V1 + "/audit", ENVIRONMENT, audit::list)
        .add("GET", V1 + "/health", PUBLIC, health::brief)
        .add("GET", V1 + "/health/ping", PUBLIC, health::ping)
        .add("GET", "/health", PUBLIC, health::full);
  }

  /** Calls of Svix's hosted service beside those of its open server. */
  static Router hosted(
      Router router,
      IntegrationCalls integration,
      AttemptCalls attempt,
      AttemptStatistics statistics,
      EventTypeExportCalls export,
      PollingEndpointCalls polling) {
    return router
        .add("GET", V1 + "/app/{}/integration", APPLICATION, integration::list)
        .add("POST", V1 + "/app/{}/integration", APPLICATION, integration::create)
        .add("GET", V1 + "/app/{}/integration/{}", APPLICATION, integration::get)
        .add("PUT", V1 + "/app/{}/integration/{}", APPLICATION, integration::put)
        .add("DELETE", V1 + "/app/{}/integration/{}", APPLICATION, integration::delete)
        .addSecret("GET", V1 + "/app/{}/integration/{}/key", APPLICATION, integration::key)
        .addSecret(
            "POST", V1 + "/app/{}/integration/{}/key/rotate", APPLICATION, integration::rotateKey)
        .add("GET", V1 + "/app/{}/attempt/endpoint/{}/count", APPLICATION, attempt::count)
        .add("GET", V1 + "/app/{}/msg/{}/attempt/{}/headers", APPLICATION, attempt::headers)
        .add("GET", V1 + "/stats/app/{}/attempt", ENVIRONMENT, statistics::ofApplication)
        .add("GET", V1 + "/app/{}/stats/attempts", APPLICATION, statistics::byEventType)
        .add("GET", V1 + "/stats/endpoint/count", ENVIRONMENT, statistics::endpoints)
        .add("GET", V1 + "/app/stats/count-active", ENVIRONMENT, statistics::activeApplications)
        .add("POST", V1 + "/event-type/export/openapi", ENVIRONMENT, export::openApi)
        .add("GET", V1 + "/event-type/export/openapi/{}/schema.zip", ENVIRONMENT, export::download)
        .addSecret("GET", V1 + "/auth/app/{}/poller/{}/token", ENVIRONMENT, polling::token)
        .addSecret("POST", V1 + "/auth/app/{}/poller/{}/token/rotate", ENVIRONMENT, polling::rotate)
        // Readers come with the queue's own key or token, which the calls check themselves.
        .add("GET", V1 + "/app/{}/polling-endpoint/{}/consumer/{}", PUBLIC, polling::poll)
        .add(
            "POST", V1 + "/app/{}/polling-endpoint/{}/consumer/{}/commit", PUBLIC, polling::commit);
  }

  /** Care for what is stored. */
  static Router upkeep(Router router, PruneCalls prune) {
    return router
        .add("GET", V1 + "/prune", ENVIRONMENT, prune::get)
        .add("POST", V1 + "/prune", ENVIRONMENT, prune::ask);
  }

  /** The configuration file. */
  static Router configuration(Router router, ConfigurationCalls file) {
    return router
        .add("GET", V1 + "/configuration", ENVIRONMENT, file::state)
        .add("POST", V1 + "/configuration/plan", ENVIRONMENT, file::plan)
        .add("POST", V1 + "/configuration/apply", ENVIRONMENT, file::apply);
  }

  /** Expressions, routes and queues. */
  static Router shaping(
      Router router,
      ExpressionCalls expression,
      TransformationCalls transformation,
      AgentRouteCalls route,
      QueueCalls queue,
      PollerCalls poller) {
    return router
        .add("POST", V1 + "/expression/test", SELF, expression::test)
        .add("GET", V1 + "/app/{}/endpoint/{}/transformation", APPLICATION, transformation::get)
        .add("PATCH", V1 + "/app/{}/endpoint/{}/transformation", APPLICATION, transformation::patch)
        .add("GET", V1 + "/app/{}/route", APPLICATION, route::list)
        .add("POST", V1 + "/app/{}/route", APPLICATION, route::create)
        .add("GET", V1 + "/app/{}/route/{}", APPLICATION, route::get)
        .add("PATCH", V1 + "/app/{}/route/{}", APPLICATION, route::patch)
        .add("DELETE", V1 + "/app/{}/route/{}", APPLICATION, route::delete)
        .add("GET", V1 + "/app/{}/queue", APPLICATION, queue::list)
        .addSecret("POST", V1 + "/app/{}/queue", APPLICATION, queue::create)
        .add("GET", V1 + "/app/{}/queue/{}", APPLICATION, queue::get)
        .add("PATCH", V1 + "/app/{}/queue/{}", APPLICATION, queue::patch)
        .add("DELETE", V1 + "/app/{}/queue/{}", APPLICATION, queue::delete)
        .addSecret("POST", V1 + "/app/{}/queue/{}/key/rotate", APPLICATION, queue::rotateKey)
        .add("POST", V1 + "/app/{}/queue/{}/redrive", APPLICATION, queue::redrive)
        .add("GET", V1 + "/app/{}/queue/{}/peek", APPLICATION, queue::peek)
        .add("GET", V1 + "/app/{}/queue/{}/dead-letter", APPLICATION, queue::deadLetters)
        // Readers come with the queue's own key, which the calls check themselves.
        .add("GET", V1 + "/app/{}/queue/{}/messages", PUBLIC, queue::receive)
        .add("POST", V1 + "/app/{}/queue/{}/ack", PUBLIC, queue::ack)
        .add("POST", V1 + "/app/{}/queue/{}/nack", PUBLIC, queue::nack)
        .add("GET", V1 + "/app/{}/poller/{}", PUBLIC, poller::poll)
        .add("GET", V1 + "/app/{}/poller/{}/consumer/{}", PUBLIC, poller::consumerPoll)
        .add("POST", V1 + "/app/{}/poller/{}/consumer/{}/seek", PUBLIC, poller::seek);
  }

  /** Sources and their door. */
  static void addInbound(
      Router router,
      SourceCalls source,
      InboundCalls door,
      LiveCalls live,
      AlertTargetCalls alert) {
    for (String method : InboundCalls.METHODS) {
      router
          .add(method, "/in/{}", PUBLIC, door::receive)
          .add(method, "/in/{}/{}", PUBLIC, door::receiveOfEnvironment);
    }
    router
        .add("GET", V1 + "/source", ENVIRONMENT, source::list)
        .add("POST", V1 + "/source", ENVIRONMENT, source::create)
        .add("GET", V1 + "/source/{}", ENVIRONMENT, source::get)
        .add("PUT", V1 + "/source/{}", ENVIRONMENT, source::put)
        .add("PATCH", V1 + "/source/{}", ENVIRONMENT, source::patch)
        .add("DELETE", V1 + "/source/{}", ENVIRONMENT, source::delete)
        .add("POST", V1 + "/source/{}/secret/rotate", ENVIRONMENT, source::rotate)
        .add("GET", V1 + "/source/{}/received", ENVIRONMENT, source::received)
        .add("GET", V1 + "/source/{}/rejected", ENVIRONMENT, source::rejected)
        .add("GET", V1 + "/live", APPLICATION, live::stream)
        .add("GET", V1 + "/alert", ENVIRONMENT, alert::list)
        .add("PUT", V1 + "/alert/{}", ENVIRONMENT, alert::put)
        .add("DELETE", V1 + "/alert/{}", ENVIRONMENT, alert::delete);
  }

  /** The document of all routes, and its page. */
  static void addDocs(Router router, Docs docs) {
    router
        .add("GET", "/", PUBLIC, docs::root)
        .add("GET", "/openapi.json", PUBLIC, docs::document)
        .add("GET", V1 + "/openapi.json", PUBLIC, docs::document)
        .add("GET", "/docs", PUBLIC, docs::page)
        .add("GET", "/docs/page.js", PUBLIC, docs::script)
        .add("GET", "/docs/page.css", PUBLIC, docs::style);
  }
}
