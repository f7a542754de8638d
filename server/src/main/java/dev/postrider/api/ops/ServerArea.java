package dev.postrider.api.ops;

import static dev.postrider.api.http.RouteAttribute.ON_WORKER;
import static dev.postrider.api.http.Scope.PUBLIC;

import dev.postrider.api.http.Action;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.PublicRoute;
import dev.postrider.api.http.Router;
import java.util.List;

/** The API area of the server itself: its health, and public paths in addition to the API. */
public final class ServerArea implements ApiArea {
  private final Health health;
  private final List<PublicRoute> extras;

  public ServerArea(HealthSource health, List<PublicRoute> extras) {
    this.health = new Health(health);
    this.extras = extras;
  }

  @Override
  public String name() {
    return "server";
  }

  @Override
  public void register(Router routes) {
    routes.get(V1 + "/health", PUBLIC, health::brief);
    routes.get(V1 + "/health/ping", PUBLIC, health::ping);
    routes.get("/health", PUBLIC, health::full, ON_WORKER);
    for (PublicRoute extra : extras) {
      Action action = call -> call.extra(extra.handler());
      if (extra.onWorkers()) {
        routes.add(extra.method(), extra.path(), PUBLIC, action, ON_WORKER);
      } else {
        routes.add(extra.method(), extra.path(), PUBLIC, action);
      }
    }
  }
}
