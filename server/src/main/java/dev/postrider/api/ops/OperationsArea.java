package dev.postrider.api.ops;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.NO_HEAD;
import static dev.postrider.api.http.RouteAttribute.STREAM;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.audit.AuditStore;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.engine.services.Pruning;
import dev.postrider.live.LiveFeed;
import dev.postrider.task.Tasks;

/**
 * The API area of operations: tasks, the audit log, retention, the configuration file, the live
 * feed.
 */
public final class OperationsArea implements ApiArea {
  private final TaskCalls tasks;
  private final AuditCalls audit;
  private final PruneCalls prune;
  private final ConfigurationCalls configuration;
  private final LiveCalls live;

  public OperationsArea(
      ApplicationLookup applications,
      Tasks tasks,
      AuditStore audit,
      Pruning pruning,
      Configurator configurator,
      HealthSource health,
      LiveFeed live) {
    this.tasks = new TaskCalls(applications, tasks);
    this.audit = new AuditCalls(applications, audit);
    this.prune = new PruneCalls(pruning);
    this.configuration = new ConfigurationCalls(configurator, health);
    this.live = new LiveCalls(applications, live);
  }

  @Override
  public String name() {
    return "operations";
  }

  @Override
  public void register(Router routes) {
    routes.post(V1 + "/stats/usage/app", ENVIRONMENT, tasks::usage, LENIENT_BODY);
    routes.put(V1 + "/stats/usage/event-types", ENVIRONMENT, tasks::aggregateEventTypes);
    routes.get(V1 + "/background-task", ENVIRONMENT, tasks::list);
    routes.get(V1 + "/background-task/{task}", ENVIRONMENT, tasks::get);
    routes.get(V1 + "/audit", ENVIRONMENT, audit::list);
    routes.get(V1 + "/prune", ENVIRONMENT, prune::get);
    routes.post(V1 + "/prune", ENVIRONMENT, prune::ask);
    routes.get(V1 + "/configuration", ENVIRONMENT, configuration::state);
    routes.post(V1 + "/configuration/plan", ENVIRONMENT, configuration::plan);
    routes.post(V1 + "/configuration/apply", ENVIRONMENT, configuration::apply);
    routes.get(V1 + "/live", APPLICATION, live::stream, NO_HEAD, STREAM);
  }
}
