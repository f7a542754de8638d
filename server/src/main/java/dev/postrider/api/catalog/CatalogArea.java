package dev.postrider.api.catalog;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.CATALOG;
import static dev.postrider.api.http.Scope.ENVIRONMENT;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.task.Tasks;
import java.util.function.Supplier;

/** The API area of event types: of the environment, of an application, and as OpenAPI documents. */
public final class CatalogArea implements ApiArea {
  private final EventTypeCalls types;
  private final EventTypeCalls applicationTypes;
  private final EventTypeImportCalls imports;
  private final EventTypeExportCalls exports;

  public CatalogArea(
      ApplicationLookup applications,
      EventTypeStore types,
      Evaluator evaluator,
      Tasks tasks,
      Supplier<String> serverUrl) {
    this.types = EventTypeCalls.ofEnvironment(types, evaluator);
    this.applicationTypes = EventTypeCalls.ofApplication(types, evaluator, applications);
    this.imports = new EventTypeImportCalls(types);
    this.exports = new EventTypeExportCalls(types, tasks, serverUrl);
  }

  @Override
  public String name() {
    return "catalog";
  }

  @Override
  public void register(Router routes) {
    routes.get(V1 + "/event-type", CATALOG, types::list);
    routes.post(V1 + "/event-type", ENVIRONMENT, types::create, LENIENT_BODY);
    routes.get(V1 + "/event-type/{type}", CATALOG, types::get);
    routes.put(V1 + "/event-type/{type}", ENVIRONMENT, types::put, LENIENT_BODY);
    routes.patch(V1 + "/event-type/{type}", ENVIRONMENT, types::patch, LENIENT_BODY);
    routes.delete(V1 + "/event-type/{type}", ENVIRONMENT, types::delete);
    routes.post(V1 + "/event-type/import/openapi", ENVIRONMENT, imports::openApi, LENIENT_BODY);
    routes.post(V1 + "/event-type/export/openapi", ENVIRONMENT, exports::openApi);
    routes.get(V1 + "/event-type/export/openapi/{task}/schema.zip", ENVIRONMENT, exports::download);

    routes.get(APP + "/event-type", APPLICATION, applicationTypes::list);
    routes.post(APP + "/event-type", APPLICATION, applicationTypes::create);
    routes.get(APP + "/event-type/{type}", APPLICATION, applicationTypes::get);
    routes.put(APP + "/event-type/{type}", APPLICATION, applicationTypes::put);
    routes.patch(APP + "/event-type/{type}", APPLICATION, applicationTypes::patch);
    routes.delete(APP + "/event-type/{type}", APPLICATION, applicationTypes::delete);
  }
}
