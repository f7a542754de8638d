package dev.postrider.api.http;

/**
 * A part of the API: builds its calls from the services that it needs and registers their routes.
 */
public interface ApiArea {
  /** The version of the API, with which most paths start. */
  String V1 = "/api/v1";

  /** What belongs to one application. */
  String APP = V1 + "/app/{application}";

  /** The name in the route table. */
  String name();

  void register(Router routes);
}
