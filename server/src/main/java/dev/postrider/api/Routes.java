package dev.postrider.api;

import static dev.postrider.api.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.RouteAttribute.NO_HEAD;
import static dev.postrider.api.RouteAttribute.ON_WORKER;
import static dev.postrider.api.RouteAttribute.OWN_IDEMPOTENCY;
import static dev.postrider.api.RouteAttribute.RETURNS_SECRET;
import static dev.postrider.api.RouteAttribute.STREAM;
import static dev.postrider.api.Scope.APPLICATION;
import static dev.postrider.api.Scope.CATALOG;
import static dev.postrider.api.Scope.ENVIRONMENT;
import static dev.postrider.api.Scope.PUBLIC;
import static dev.postrider.api.Scope.SELF;

/** Every path of the API. A variable is an id or the caller's own uid. */
final class Routes {
  private static final String V1 = "/api/v1";

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
        .add("POST", V1 + "/app", ENVIRONMENT, app::create, LENIENT_BODY)
        .add("GET", V1 + "/app/{application}", APPLICATION, app::get)
        .add("PUT", V1 + "/app/{application}", ENVIRONMENT, app::put, LENIENT_BODY)
        .add("PATCH", V1 + "/app/{application}", APPLICATION, app::patch, LENIENT_BODY)
        .add("DELETE", V1 + "/app/{application}", ENVIRONMENT, app::delete)
        .add(
            "GET",
            V1 + "/app/{application}/secret",
            APPLICATION,
            ep::applicationSecret,
            RETURNS_SECRET)
        .add(
            "POST",
            V1 + "/app/{application}/secret/rotate",
            APPLICATION,
            ep::rotateApplicationSecret)
        .add("GET", V1 + "/app/{application}/endpoint", APPLICATION, ep::list)
        .add("POST", V1 + "/app/{application}/endpoint", APPLICATION, ep::create, LENIENT_BODY)
        .add("GET", V1 + "/app/{application}/endpoint/{endpoint}", APPLICATION, ep::get)
        .add(
            "PUT",
            V1 + "/app/{application}/endpoint/{endpoint}",
            APPLICATION,
            ep::put,
            LENIENT_BODY)
        .add(
            "PATCH",
            V1 + "/app/{application}/endpoint/{endpoint}",
            APPLICATION,
            ep::patch,
            LENIENT_BODY)
        .add("DELETE", V1 + "/app/{application}/endpoint/{endpoint}", APPLICATION, ep::delete)
        .add("GET", V1 + "/app/{application}/endpoint/{endpoint}/headers", APPLICATION, ep::headers)
        .add(
            "PUT",
            V1 + "/app/{application}/endpoint/{endpoint}/headers",
            APPLICATION,
            ep::putHeaders,
            LENIENT_BODY)
        .add(
            "PATCH",
            V1 + "/app/{application}/endpoint/{endpoint}/headers",
            APPLICATION,
            ep::patchHeaders,
            LENIENT_BODY)
        .add(
            "GET",
            V1 + "/app/{application}/endpoint/{endpoint}/secret",
            APPLICATION,
            ep::secret,
            RETURNS_SECRET)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/secret/rotate",
            APPLICATION,
            ep::rotateAndShow,
            RETURNS_SECRET,
            LENIENT_BODY)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/recover",
            APPLICATION,
            recovery::recover,
            LENIENT_BODY)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/redrive",
            APPLICATION,
            recovery::redrive)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/replay-missing",
            APPLICATION,
            recovery::replayMissing,
            LENIENT_BODY)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/bulk-replay",
            APPLICATION,
            recovery::bulkReplay,
            LENIENT_BODY)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/send-example",
            APPLICATION,
            example::send,
            LENIENT_BODY)
        .add("GET", V1 + "/app/{application}/endpoint/{endpoint}/stats", APPLICATION, care::stats)
        .add("GET", V1 + "/app/{application}/statistics", APPLICATION, statistics::ofApplication)
        .add(
            "GET",
            V1 + "/app/{application}/endpoint/{endpoint}/statistics",
            APPLICATION,
            statistics::ofEndpoint)
        .add("GET", V1 + "/app/{application}/endpoint/{endpoint}/health", APPLICATION, care::health)
        .add("POST", V1 + "/app/{application}/endpoint/{endpoint}/pause", APPLICATION, care::pause)
        .add(
            "POST", V1 + "/app/{application}/endpoint/{endpoint}/resume", APPLICATION, care::resume)
        .add(
            "POST",
            V1 + "/app/{application}/endpoint/{endpoint}/reset-circuit",
            APPLICATION,
            care::resetCircuit)
        .add("GET", V1 + "/app/{application}/delivery", APPLICATION, delivery::list)
        .add("GET", V1 + "/app/{application}/delivery/{delivery}", APPLICATION, delivery::get)
        .add(
            "POST",
            V1 + "/app/{application}/delivery/{delivery}/retry",
            APPLICATION,
            delivery::retry)
        .add("GET", V1 + "/app/{application}/endpoint/{endpoint}/msg", APPLICATION, msg::ofEndpoint)
        .add(
            "POST",
            V1 + "/app/{application}/msg",
            APPLICATION,
            send::create,
            LENIENT_BODY,
            OWN_IDEMPOTENCY)
        .add(
            "POST",
            V1 + "/app/{application}/msg/batch",
            APPLICATION,
            batch::create,
            OWN_IDEMPOTENCY)
        .add(
            "POST",
            V1 + "/app/{application}/msg/precheck/active",
            APPLICATION,
            send::precheck,
            LENIENT_BODY)
        .add("GET", V1 + "/app/{application}/msg", APPLICATION, msg::list)
        .add(
            "POST",
            V1 + "/app/{application}/msg/bulk-expunge",
            APPLICATION,
            msg::bulkExpunge,
            LENIENT_BODY)
        .add(
            "POST",
            V1 + "/app/{application}/msg/expunge-all-contents",
            APPLICATION,
            bulk::expungeAll)
        .add("GET", V1 + "/app/{application}/msg/{message}", APPLICATION, msg::get)
        .add("GET", V1 + "/app/{application}/msg/{message}/raw", APPLICATION, msg::raw)
        .add("DELETE", V1 + "/app/{application}/msg/{message}/content", APPLICATION, msg::expunge)
        .add(
            "GET", V1 + "/app/{application}/msg/{message}/attempt", APPLICATION, attempt::ofMessage)
        .add(
            "GET",
            V1 + "/app/{application}/msg/{message}/attempt/{attempt}",
            APPLICATION,
            attempt::get)
        .add(
            "DELETE",
            V1 + "/app/{application}/msg/{message}/attempt/{attempt}/content",
            APPLICATION,
            attempt::expunge)
        .add(
            "GET",
            V1 + "/app/{application}/msg/{message}/endpoint/{endpoint}/attempt",
            APPLICATION,
            attempt::ofMessageAndEndpoint)
        .add(
            "GET",
            V1 + "/app/{application}/msg/{message}/endpoint",
            APPLICATION,
            attempt::destinations)
        .add(
            "POST",
            V1 + "/app/{application}/msg/{message}/endpoint/{endpoint}/resend",
            APPLICATION,
            attempt::resend)
        .add(
            "GET", V1 + "/app/{application}/attempt/msg/{message}", APPLICATION, attempt::ofMessage)
        .add(
            "GET",
            V1 + "/app/{application}/attempt/endpoint/{endpoint}",
            APPLICATION,
            attempt::ofEndpoint)
        .add("GET", V1 + "/event-type", CATALOG, type::list)
        .add("POST", V1 + "/event-type", ENVIRONMENT, type::create, LENIENT_BODY)
        .add("GET", V1 + "/event-type/{type}", CATALOG, type::get)
        .add("PUT", V1 + "/event-type/{type}", ENVIRONMENT, type::put, LENIENT_BODY)
        .add("PATCH", V1 + "/event-type/{type}", ENVIRONMENT, type::patch, LENIENT_BODY)
        .add("DELETE", V1 + "/event-type/{type}", ENVIRONMENT, type::delete)
        .add(
            "POST",
            V1 + "/event-type/import/openapi",
            ENVIRONMENT,
            typeImport::openApi,
            LENIENT_BODY)
        .add("GET", V1 + "/app/{application}/event-type", APPLICATION, ownType::list)
        .add("POST", V1 + "/app/{application}/event-type", APPLICATION, ownType::create)
        .add("GET", V1 + "/app/{application}/event-type/{type}", APPLICATION, ownType::get)
        .add("PUT", V1 + "/app/{application}/event-type/{type}", APPLICATION, ownType::put)
        .add("PATCH", V1 + "/app/{application}/event-type/{type}", APPLICATION, ownType::patch)
        .add("DELETE", V1 + "/app/{application}/event-type/{type}", APPLICATION, ownType::delete)
        .add("GET", V1 + "/environment", ENVIRONMENT, environment::get)
        .add("PATCH", V1 + "/environment", ENVIRONMENT, environment::patch)
        .add("GET", V1 + "/environments", ENVIRONMENT, environment::list)
        .add("POST", V1 + "/environments", ENVIRONMENT, environment::create)
        .add("GET", V1 + "/environments/{environment}", ENVIRONMENT, environment::getNamed)
        .add("PATCH", V1 + "/environments/{environment}", ENVIRONMENT, environment::patchNamed)
        .add(
            "POST",
            V1 + "/environments/{environment}/api-key",
            ENVIRONMENT,
            environment::createKey,
            RETURNS_SECRET)
        .add("POST", V1 + "/msg/broadcast", ENVIRONMENT, bulk::broadcast, LENIENT_BODY)
        .add("POST", V1 + "/stats/usage/app", ENVIRONMENT, task::usage, LENIENT_BODY)
        .add("PUT", V1 + "/stats/usage/event-types", ENVIRONMENT, task::aggregateEventTypes)
        .add("GET", V1 + "/operational-webhook/endpoint", ENVIRONMENT, operational::list)
        .add(
            "POST",
            V1 + "/operational-webhook/endpoint",
            ENVIRONMENT,
            operational::create,
            LENIENT_BODY)
        .add("GET", V1 + "/operational-webhook/endpoint/{endpoint}", ENVIRONMENT, operational::get)
        .add(
            "PUT",
            V1 + "/operational-webhook/endpoint/{endpoint}",
            ENVIRONMENT,
            operational::put,
            LENIENT_BODY)
        .add(
            "PATCH",
            V1 + "/operational-webhook/endpoint/{endpoint}",
            ENVIRONMENT,
            operational::patch,
            LENIENT_BODY)
        .add(
            "DELETE",
            V1 + "/operational-webhook/endpoint/{endpoint}",
            ENVIRONMENT,
            operational::delete)
        .add(
            "GET",
            V1 + "/operational-webhook/endpoint/{endpoint}/headers",
            ENVIRONMENT,
            operational::headers)
        .add(
            "PUT",
            V1 + "/operational-webhook/endpoint/{endpoint}/headers",
            ENVIRONMENT,
            operational::putHeaders,
            LENIENT_BODY)
        .add(
            "GET",
            V1 + "/operational-webhook/endpoint/{endpoint}/secret",
            ENVIRONMENT,
            operational::secret,
            RETURNS_SECRET)
        .add(
            "POST",
            V1 + "/operational-webhook/endpoint/{endpoint}/secret/rotate",
            ENVIRONMENT,
            operational::rotate,
            LENIENT_BODY)
        .add("GET", V1 + "/background-task", ENVIRONMENT, task::list)
        .add("GET", V1 + "/background-task/{task}", ENVIRONMENT, task::get)
        .add("GET", V1 + "/auth/api-key", ENVIRONMENT, key::list)
        .add("POST", V1 + "/auth/api-key", ENVIRONMENT, key::create, RETURNS_SECRET)
        .add("DELETE", V1 + "/auth/api-key/{key}", ENVIRONMENT, key::revoke)
        .add(
            "POST",
            V1 + "/auth/app-portal-access/{application}",
            ENVIRONMENT,
            portal::grant,
            RETURNS_SECRET,
            LENIENT_BODY)
        .add(
            "POST",
            V1 + "/auth/dashboard-access/{application}",
            ENVIRONMENT,
            portal::dashboard,
            RETURNS_SECRET)
        .add(
            "POST",
            V1 + "/auth/app/{application}/expire-all",
            ENVIRONMENT,
            portal::expireAll,
            LENIENT_BODY)
        .add("POST", V1 + "/auth/logout", SELF, key::logout)
        .add("GET", V1 + "/audit", ENVIRONMENT, audit::list)
        .add("GET", V1 + "/health", PUBLIC, health::brief)
        .add("GET", V1 + "/health/ping", PUBLIC, health::ping)
        .add("GET", "/health", PUBLIC, health::full, ON_WORKER);
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
        .add("GET", V1 + "/app/{application}/integration", APPLICATION, integration::list)
        .add(
            "POST",
            V1 + "/app/{application}/integration",
            APPLICATION,
            integration::create,
            LENIENT_BODY)
        .add(
            "GET",
            V1 + "/app/{application}/integration/{integration}",
            APPLICATION,
            integration::get)
        .add(
            "PUT",
            V1 + "/app/{application}/integration/{integration}",
            APPLICATION,
            integration::put,
            LENIENT_BODY)
        .add(
            "DELETE",
            V1 + "/app/{application}/integration/{integration}",
            APPLICATION,
            integration::delete)
        .add(
            "GET",
            V1 + "/app/{application}/integration/{integration}/key",
            APPLICATION,
            integration::key,
            RETURNS_SECRET)
        .add(
            "POST",
            V1 + "/app/{application}/integration/{integration}/key/rotate",
            APPLICATION,
            integration::rotateKey,
            RETURNS_SECRET)
        .add(
            "GET",
            V1 + "/app/{application}/attempt/endpoint/{endpoint}/count",
            APPLICATION,
            attempt::count)
        .add(
            "GET",
            V1 + "/app/{application}/msg/{message}/attempt/{attempt}/headers",
            APPLICATION,
            attempt::headers)
        .add("GET", V1 + "/stats/app/{application}/attempt", ENVIRONMENT, statistics::ofApplication)
        .add("GET", V1 + "/app/{application}/stats/attempts", APPLICATION, statistics::byEventType)
        .add("GET", V1 + "/stats/endpoint/count", ENVIRONMENT, statistics::endpoints)
        .add("GET", V1 + "/app/stats/count-active", ENVIRONMENT, statistics::activeApplications)
        .add("POST", V1 + "/event-type/export/openapi", ENVIRONMENT, export::openApi)
        .add(
            "GET",
            V1 + "/event-type/export/openapi/{task}/schema.zip",
            ENVIRONMENT,
            export::download)
        .add(
            "GET",
            V1 + "/auth/app/{application}/poller/{queue}/token",
            ENVIRONMENT,
            polling::token,
            RETURNS_SECRET)
        .add(
            "POST",
            V1 + "/auth/app/{application}/poller/{queue}/token/rotate",
            ENVIRONMENT,
            polling::rotate,
            RETURNS_SECRET,
            LENIENT_BODY)
        // Readers come with the queue's own key or token, which the calls check themselves.
        .add(
            "GET",
            V1 + "/app/{application}/polling-endpoint/{queue}/consumer/{consumer}",
            PUBLIC,
            polling::poll,
            NO_HEAD)
        .add(
            "POST",
            V1 + "/app/{application}/polling-endpoint/{queue}/consumer/{consumer}/commit",
            PUBLIC,
            polling::commit,
            LENIENT_BODY);
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
        .add(
            "GET",
            V1 + "/app/{application}/endpoint/{endpoint}/transformation",
            APPLICATION,
            transformation::get)
        .add(
            "PATCH",
            V1 + "/app/{application}/endpoint/{endpoint}/transformation",
            APPLICATION,
            transformation::patch,
            LENIENT_BODY)
        .add("GET", V1 + "/app/{application}/route", APPLICATION, route::list)
        .add("POST", V1 + "/app/{application}/route", APPLICATION, route::create)
        .add("GET", V1 + "/app/{application}/route/{route}", APPLICATION, route::get)
        .add("PATCH", V1 + "/app/{application}/route/{route}", APPLICATION, route::patch)
        .add("DELETE", V1 + "/app/{application}/route/{route}", APPLICATION, route::delete)
        .add("GET", V1 + "/app/{application}/queue", APPLICATION, queue::list)
        .add("POST", V1 + "/app/{application}/queue", APPLICATION, queue::create, RETURNS_SECRET)
        .add("GET", V1 + "/app/{application}/queue/{queue}", APPLICATION, queue::get)
        .add("PATCH", V1 + "/app/{application}/queue/{queue}", APPLICATION, queue::patch)
        .add("DELETE", V1 + "/app/{application}/queue/{queue}", APPLICATION, queue::delete)
        .add(
            "POST",
            V1 + "/app/{application}/queue/{queue}/key/rotate",
            APPLICATION,
            queue::rotateKey,
            RETURNS_SECRET)
        .add("POST", V1 + "/app/{application}/queue/{queue}/redrive", APPLICATION, queue::redrive)
        .add("GET", V1 + "/app/{application}/queue/{queue}/peek", APPLICATION, queue::peek)
        .add(
            "GET",
            V1 + "/app/{application}/queue/{queue}/dead-letter",
            APPLICATION,
            queue::deadLetters)
        // Readers come with the queue's own key, which the calls check themselves.
        .add(
            "GET",
            V1 + "/app/{application}/queue/{queue}/messages",
            PUBLIC,
            queue::receive,
            NO_HEAD)
        .add("POST", V1 + "/app/{application}/queue/{queue}/ack", PUBLIC, queue::ack)
        .add("POST", V1 + "/app/{application}/queue/{queue}/nack", PUBLIC, queue::nack)
        .add("GET", V1 + "/app/{application}/poller/{queue}", PUBLIC, poller::poll)
        .add(
            "GET",
            V1 + "/app/{application}/poller/{queue}/consumer/{consumer}",
            PUBLIC,
            poller::consumerPoll,
            NO_HEAD)
        .add(
            "POST",
            V1 + "/app/{application}/poller/{queue}/consumer/{consumer}/seek",
            PUBLIC,
            poller::seek,
            LENIENT_BODY);
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
          .add(method, "/in/{source}", PUBLIC, door::receive)
          .add(method, "/in/{environment}/{source}", PUBLIC, door::receiveOfEnvironment);
    }
    router
        .add("GET", V1 + "/source", ENVIRONMENT, source::list)
        .add("POST", V1 + "/source", ENVIRONMENT, source::create)
        .add("GET", V1 + "/source/{source}", ENVIRONMENT, source::get)
        .add("PUT", V1 + "/source/{source}", ENVIRONMENT, source::put)
        .add("PATCH", V1 + "/source/{source}", ENVIRONMENT, source::patch)
        .add("DELETE", V1 + "/source/{source}", ENVIRONMENT, source::delete)
        .add("POST", V1 + "/source/{source}/secret/rotate", ENVIRONMENT, source::rotate)
        .add("GET", V1 + "/source/{source}/received", ENVIRONMENT, source::received)
        .add("GET", V1 + "/source/{source}/rejected", ENVIRONMENT, source::rejected)
        .add("GET", V1 + "/live", APPLICATION, live::stream, NO_HEAD, STREAM)
        .add("GET", V1 + "/alert", ENVIRONMENT, alert::list)
        .add("PUT", V1 + "/alert/{alert}", ENVIRONMENT, alert::put)
        .add("DELETE", V1 + "/alert/{alert}", ENVIRONMENT, alert::delete);
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
