package dev.postrider.api.ops;

import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.time.TimeSource;

/** The API area of statistics: of an endpoint, an application or the environment. */
public final class StatisticsArea implements ApiArea {
  private static final String ENDPOINT = APP + "/endpoint/{endpoint}";

  private final StatisticsCalls statistics;
  private final AttemptStatistics attempts;

  public StatisticsArea(
      ApplicationLookup applications,
      EndpointStore endpoints,
      EndpointCounts counts,
      LaneReader lanes,
      Statistics statistics,
      AttemptReader attempts,
      TimeSource time) {
    this.statistics =
        new StatisticsCalls(applications, new EndpointLookup(endpoints), lanes, statistics, time);
    this.attempts = new AttemptStatistics(applications, statistics, attempts, counts, time);
  }

  @Override
  public String name() {
    return "statistics";
  }

  @Override
  public void register(Router routes) {
    routes.get(APP + "/statistics", APPLICATION, statistics::ofApplication);
    routes.get(ENDPOINT + "/statistics", APPLICATION, statistics::ofEndpoint);

    routes.get(V1 + "/stats/app/{application}/attempt", ENVIRONMENT, attempts::ofApplication);
    routes.get(APP + "/stats/attempts", APPLICATION, attempts::byEventType);
    routes.get(V1 + "/stats/endpoint/count", ENVIRONMENT, attempts::endpoints);
    routes.get(V1 + "/app/stats/count-active", ENVIRONMENT, attempts::activeApplications);
  }
}
