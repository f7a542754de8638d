package dev.postrider.api.http;

/** What an instance answers over HTTP. */
public enum HttpSurface {
  ALL,

  /** Nothing but what a watcher asks: the instance delivers, and others have the API. */
  WATCHING;

  /**
   * A caller that came here by mistake may try again elsewhere, so this is a 503, which load
   * balancers and clients repeat.
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
