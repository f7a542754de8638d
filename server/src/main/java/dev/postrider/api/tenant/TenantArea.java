package dev.postrider.api.tenant;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.RETURNS_SECRET;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;
import static dev.postrider.api.http.Scope.SELF;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Ids;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.EnvironmentStore;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.IntegrationStore;
import dev.postrider.time.TimeSource;
import java.util.function.Supplier;

/** The API area of environments, applications, and the credentials of both. */
public final class TenantArea implements ApiArea {
  private static final String ENVIRONMENTS = V1 + "/environments";
  private static final String INTEGRATION = APP + "/integration/{integration}";

  private final ApplicationCalls applications;
  private final EnvironmentCalls environments;
  private final ApiKeyCalls keys;
  private final PortalCalls portals;
  private final IntegrationCalls integrations;

  /** The store of environments, and the publisher of their changes. */
  public record Environments(EnvironmentStore store, EventPublisher events) {}

  /** The stores of API keys and tokens. */
  public record Credentials(ApiKeys keys, ApiKeyStore store, IntegrationStore integrations) {}

  /**
   * @param serverUrl the public URL
   */
  public TenantArea(
      ApplicationStore applications,
      EndpointStore endpoints,
      Environments environments,
      Credentials credentials,
      Supplier<String> serverUrl,
      Ids ids,
      TimeSource time) {
    ApplicationLookup lookup = new ApplicationLookup(applications);
    this.applications = new ApplicationCalls(lookup, applications, endpoints);
    this.keys = new ApiKeyCalls(lookup, credentials.store(), credentials.keys(), time);
    this.environments =
        new EnvironmentCalls(environments.store(), keys, environments.events(), ids);
    this.portals =
        new PortalCalls(lookup, credentials.store(), credentials.keys(), serverUrl, time);
    this.integrations =
        new IntegrationCalls(lookup, credentials.integrations(), credentials.keys());
  }

  @Override
  public String name() {
    return "tenant";
  }

  @Override
  public void register(Router routes) {
    applications(routes);
    environments(routes);
    keys(routes);
    portals(routes);
    integrations(routes);
  }

  private void applications(Router routes) {
    routes.get(V1 + "/app", ENVIRONMENT, applications::list);
    routes.post(V1 + "/app", ENVIRONMENT, applications::create, LENIENT_BODY);
    routes.get(APP, APPLICATION, applications::get);
    routes.put(APP, ENVIRONMENT, applications::put, LENIENT_BODY);
    routes.patch(APP, APPLICATION, applications::patch, LENIENT_BODY);
    routes.delete(APP, ENVIRONMENT, applications::delete);
  }

  private void environments(Router routes) {
    routes.get(V1 + "/environment", ENVIRONMENT, environments::get);
    routes.patch(V1 + "/environment", ENVIRONMENT, environments::patch);
    routes.get(ENVIRONMENTS, ENVIRONMENT, environments::list);
    routes.post(ENVIRONMENTS, ENVIRONMENT, environments::create);
    routes.get(ENVIRONMENTS + "/{environment}", ENVIRONMENT, environments::getNamed);
    routes.patch(ENVIRONMENTS + "/{environment}", ENVIRONMENT, environments::patchNamed);
    routes.post(
        ENVIRONMENTS + "/{environment}/api-key",
        ENVIRONMENT,
        environments::createKey,
        RETURNS_SECRET);
  }

  private void keys(Router routes) {
    routes.get(V1 + "/auth/api-key", ENVIRONMENT, keys::list);
    routes.post(V1 + "/auth/api-key", ENVIRONMENT, keys::create, RETURNS_SECRET);
    routes.delete(V1 + "/auth/api-key/{key}", ENVIRONMENT, keys::revoke);
    routes.post(V1 + "/auth/logout", SELF, keys::logout);
  }

  private void portals(Router routes) {
    routes.post(
        V1 + "/auth/app-portal-access/{application}",
        ENVIRONMENT,
        portals::grant,
        RETURNS_SECRET,
        LENIENT_BODY);
    routes.post(
        V1 + "/auth/dashboard-access/{application}",
        ENVIRONMENT,
        portals::dashboard,
        RETURNS_SECRET);
    routes.post(
        V1 + "/auth/app/{application}/expire-all", ENVIRONMENT, portals::expireAll, LENIENT_BODY);
  }

  private void integrations(Router routes) {
    routes.get(APP + "/integration", APPLICATION, integrations::list);
    routes.post(APP + "/integration", APPLICATION, integrations::create, LENIENT_BODY);
    routes.get(INTEGRATION, APPLICATION, integrations::get);
    routes.put(INTEGRATION, APPLICATION, integrations::put, LENIENT_BODY);
    routes.delete(INTEGRATION, APPLICATION, integrations::delete);
    routes.get(INTEGRATION + "/key", APPLICATION, integrations::key, RETURNS_SECRET);
    routes.post(INTEGRATION + "/key/rotate", APPLICATION, integrations::rotateKey, RETURNS_SECRET);
  }
}
