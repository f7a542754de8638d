package dev.postrider.api;

import java.util.Set;

/** What an instance answers over HTTP. */
public enum HttpSurface {
  ALL,

  /** Nothing but what a watcher asks: the instance delivers, and others have the API. */
  WATCHING;

  private static final Set<String> WATCHED = Set.of("/health", "/metrics");

  /**
   * A caller that came here by mistake may try again elsewhere, so this is a 503, which load
   * balancers and clients repeat.
   */
  void refuseUnlessOffered(Router.Match match) {
    Router.Route route = match.route();
    if (this == WATCHING && (route == null || !WATCHED.contains(route.path()))) {
      throw new ApiError(
          503,
          "worker",
          "this instance is a worker (--role worker): it delivers and answers only /health and /metrics; send this to an instance with the role api or all");
    }
  }
}
