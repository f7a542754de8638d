package dev.postrider.api.http;

/**
 * A part of the API: builds its calls from the services that it needs and registers their routes.
 */
public interface ApiArea {
  /** The version of the API, which most paths begin with. */
  String V1 = "/api/v1";

  /** What belongs to one application. */
  String APP = V1 + "/app/{application}";

  /** As the route table names it. */
  String name();

  void register(Router routes);
}
