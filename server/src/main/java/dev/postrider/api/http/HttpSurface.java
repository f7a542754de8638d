package dev.postrider.api.http;

/** Decides which routes an instance serves, depending on its role. */
public enum HttpSurface {
  ALL,

  /** Only health and metrics: the instance delivers, and others serve the API. */
  WATCHING;

  /**
   * A client that was routed here by mistake may retry elsewhere, so this is a 503, which load
   * balancers and clients retry.
   */
  void refuseUnlessOffered(Router.Match match) {
    Router.Route route = match.route();
    if (this == WATCHING && (route == null || !route.has(RouteAttribute.ON_WORKER))) {
      throw new ApiError(
          503,
          "worker",
          "this instance has the role worker (--role worker) and serves only /health and"
              + " /metrics; send the request to an instance with the role api or all");
    }
  }
}
