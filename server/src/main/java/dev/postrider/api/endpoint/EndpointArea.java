package dev.postrider.api.endpoint;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.RETURNS_SECRET;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;
import static dev.postrider.api.http.Scope.SELF;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.time.TimeSource;

/**
 * The API area of endpoints, their transforms and agent routes, and of the endpoints of operational
 * webhooks.
 */
public final class EndpointArea implements ApiArea {
  private static final String ENDPOINT = APP + "/endpoint/{endpoint}";
  private static final String OPERATIONAL = V1 + "/operational-webhook/endpoint";
  private static final String OPERATIONAL_ENDPOINT = OPERATIONAL + "/{endpoint}";

  private final EndpointCalls endpoints;
  private final EndpointCalls operational;
  private final EndpointHealthCalls health;
  private final EndpointTestCalls tests;
  private final TransformationCalls transformations;
  private final ExpressionCalls expressions;
  private final AgentRouteCalls agentRoutes;

  public EndpointArea(
      ApplicationLookup applications,
      EndpointDependencies services,
      AgentRouteStore agentRoutes,
      OperationalWebhooks webhooks,
      EndpointTests tests,
      LaneReader lanes,
      Statistics statistics,
      TimeSource time) {
    EndpointOwner owner = applications::inPath;
    this.endpoints = new EndpointCalls(owner, services);
    this.operational =
        new EndpointCalls(
            call -> webhooks.of(call.environmentId()), services.withServerEventTypes());
    this.health = new EndpointHealthCalls(applications, services.store(), lanes, statistics, time);
    this.tests = new EndpointTestCalls(applications, services.lookup(), tests, time);
    this.transformations = new TransformationCalls(owner, services);
    this.expressions = new ExpressionCalls(services.checks().expressions());
    this.agentRoutes =
        new AgentRouteCalls(applications, agentRoutes, services.store(), services.checks());
  }

  @Override
  public String name() {
    return "endpoint";
  }

  @Override
  public void register(Router routes) {
    endpoints(routes);
    shaping(routes);
    operationalWebhooks(routes);
  }

  private void endpoints(Router routes) {
    routes.get(APP + "/secret", APPLICATION, endpoints::applicationSecret, RETURNS_SECRET);
    routes.post(APP + "/secret/rotate", APPLICATION, endpoints::rotateApplicationSecret);
    endpoints.register(routes, APP + "/endpoint", APPLICATION);
    routes.patch(ENDPOINT, APPLICATION, endpoints::patch, LENIENT_BODY);
    routes.patch(ENDPOINT + "/headers", APPLICATION, endpoints::patchHeaders, LENIENT_BODY);
    routes.post(
        ENDPOINT + "/secret/rotate",
        APPLICATION,
        endpoints::rotateAndShow,
        RETURNS_SECRET,
        LENIENT_BODY);

    routes.get(ENDPOINT + "/stats", APPLICATION, health::stats);
    routes.get(ENDPOINT + "/health", APPLICATION, health::health);
    routes.post(ENDPOINT + "/test", APPLICATION, tests::test);
    routes.post(ENDPOINT + "/pause", APPLICATION, health::pause);
    routes.post(ENDPOINT + "/resume", APPLICATION, health::resume);
    routes.post(ENDPOINT + "/reset-circuit", APPLICATION, health::resetCircuit);
  }

  /** What is sent, and how it is wrapped for agents. */
  private void shaping(Router routes) {
    routes.get(ENDPOINT + "/transformation", APPLICATION, transformations::get);
    routes.patch(ENDPOINT + "/transformation", APPLICATION, transformations::patch, LENIENT_BODY);
    routes.post(V1 + "/expression/test", SELF, expressions::test);
    routes.get(APP + "/route", APPLICATION, agentRoutes::list);
    routes.post(APP + "/route", APPLICATION, agentRoutes::create);
    routes.get(APP + "/route/{route}", APPLICATION, agentRoutes::get);
    routes.patch(APP + "/route/{route}", APPLICATION, agentRoutes::patch);
    routes.delete(APP + "/route/{route}", APPLICATION, agentRoutes::delete);
  }

  private void operationalWebhooks(Router routes) {
    operational.register(routes, OPERATIONAL, ENVIRONMENT);
    routes.patch(OPERATIONAL_ENDPOINT, ENVIRONMENT, operational::patch, LENIENT_BODY);
    routes.post(
        OPERATIONAL_ENDPOINT + "/secret/rotate", ENVIRONMENT, operational::rotate, LENIENT_BODY);
  }
}
