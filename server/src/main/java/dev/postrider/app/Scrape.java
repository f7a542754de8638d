package dev.postrider.app;

import dev.postrider.api.http.BearerToken;
import dev.postrider.api.http.PublicRoute;
import dev.postrider.observe.Metrics;
import dev.postrider.options.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * Serves {@code GET /metrics}. If a token is configured, the request must present it. An API key is
 * refused there, so that no API key is stored in the configuration of a monitoring system, and the
 * token is not valid for the API.
 */
final class Scrape {
  private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final Metrics metrics;
  private final Optional<byte[]> token;

  Scrape(Metrics metrics, Optional<Secret> token) {
    this.metrics = metrics;
    this.token = token.map(secret -> secret.reveal().getBytes(StandardCharsets.UTF_8));
  }

  PublicRoute route() {
    return new PublicRoute("GET", "/metrics", true, this::answer);
  }

  private PublicRoute.Answer answer(PublicRoute.Request request) {
    if (token.isPresent() && !MessageDigest.isEqual(token.get(), presented(request))) {
      return PublicRoute.Answer.refusal(
          401,
          "authentication_failed",
          "send POSTRIDER_METRICS_TOKEN of the server in the header Authorization: Bearer <token>");
    }
    return PublicRoute.Answer.of(200, TYPE, metrics.scrape().getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] presented(PublicRoute.Request request) {
    return BearerToken.in(request.header("Authorization")).getBytes(StandardCharsets.UTF_8);
  }
}
