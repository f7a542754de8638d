package dev.postrider.api.ops;

import static dev.postrider.api.http.Scope.ENVIRONMENT;

import dev.postrider.api.endpoint.EndpointDependencies;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.tenant.ApplicationStore;

/** The API area of alert targets. */
public final class AlertArea implements ApiArea {
  private final AlertTargetCalls targets;

  public AlertArea(ApplicationStore applications, EndpointDependencies endpoints) {
    this.targets =
        new AlertTargetCalls(
            applications, endpoints.store(), endpoints.checks().urls(), endpoints.signingKeys());
  }

  @Override
  public String name() {
    return "alert";
  }

  @Override
  public void register(Router routes) {
    routes.get(V1 + "/alert", ENVIRONMENT, targets::list);
    routes.put(V1 + "/alert/{alert}", ENVIRONMENT, targets::put);
    routes.delete(V1 + "/alert/{alert}", ENVIRONMENT, targets::delete);
  }
}
