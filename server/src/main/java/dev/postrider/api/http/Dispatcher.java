package dev.postrider.api.http;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.http.connection.HttpHandler;
import dev.postrider.api.http.connection.HttpRequest;
import dev.postrider.api.http.connection.HttpResponse;
import dev.postrider.audit.Actor;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.ApiToken;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.RequestException;

/**
 * Handles every request: request id, route, authentication, action, and conversion of exceptions to
 * responses.
 */
public final class Dispatcher implements HttpHandler {
  private static final HeaderName CONTENT_TYPE_OPTIONS =
      HeaderNames.create("x-content-type-options");

  private final Router router;
  private final ApiKeys keys;
  private final Bodies bodies;
  private final Compression compression = Compression.ofMachine();
  private final IdempotentCalls repeated;
  private final RequestIds requestIds;
  private final HttpSurface offer;
  private final ManagementRate rate;

  public Dispatcher(
      Router router,
      ApiKeys keys,
      Bodies bodies,
      IdempotentCalls repeated,
      RequestIds requestIds,
      HttpSurface offer,
      ManagementRate rate) {
    this.router = router;
    this.keys = keys;
    this.bodies = bodies;
    this.repeated = repeated;
    this.requestIds = requestIds;
    this.offer = offer;
    this.rate = rate;
  }

  @Override
  public void handle(HttpRequest request, HttpResponse response) {
    String given = request.header(RequestIds.HEADER);
    String requestId = begin(response, given == null ? "" : given);
    try {
      dispatch(request, response);
    } catch (Throwable thrown) {
      fail(response, Errors.answer(thrown, requestId));
    } finally {
      bodies.release(request);
    }
  }

  @Override
  public void refuse(RequestException refused, HttpResponse response) {
    begin(response, "");
    response.status(refused.status().code());
    sendError(
        response,
        JsonOut.bytes(
            out ->
                out.object(
                    o ->
                        o.text("code", Errors.NOT_HTTP)
                            .text("detail", Errors.notHttp(refused.getMessage())))));
  }

  private String begin(HttpResponse response, String givenId) {
    String requestId = requestIds.of(givenId);
    response.header(RequestIds.HEADER, requestId).header(CONTENT_TYPE_OPTIONS, "nosniff");
    return requestId;
  }

  private void dispatch(HttpRequest request, HttpResponse response) throws Exception {
    String verb = request.isHead() ? "GET" : request.method();
    Router.Match match = router.find(verb, request.rawPath());
    offer.refuseUnlessOffered(match);
    Router.Route route = match.route();
    if (route == null) {
      throw unrouted(request, response, match);
    }
    if (request.isHead() && route.has(RouteAttribute.NO_HEAD)) {
      throw notAllowed(response, match);
    }
    if (route.has(RouteAttribute.STREAM) && request.http10()) {
      throw new ApiError(505, "http_version_not_supported", "this request needs HTTP/1.1");
    }
    ApiKey key = route.scope() == Scope.PUBLIC ? null : authenticate(request, response);
    if (key != null) {
      rate.refuseIfBeyond(key, route);
      refuseIfBeyond(key, route, verb);
    }
    Call call = new Call(request, response, route, match.values(), key, bodies, compression);
    // Sends end nothing, and there are many of them.
    boolean plain = verb.equals("GET") || route.has(RouteAttribute.OWN_IDEMPOTENCY);
    if (key == null || plain) {
      route.action().run(call);
    } else if (verb.equals("POST")) {
      actor(key).run(() -> repeated.run(call, route.action()));
    } else {
      actor(key).run(() -> route.action().run(call));
    }
  }

  /** The actor of a change in the audit log. */
  private static Actor actor(ApiKey key) {
    if (!key.isStored()) {
      return new Actor(key.isCommandLine() ? Actor.Kind.COMMAND_LINE : Actor.Kind.JWT, null);
    }
    return new Actor(key.capabilities() == null ? Actor.Kind.API_KEY : Actor.Kind.PORTAL, key.id());
  }

  private static ApiError unrouted(HttpRequest request, HttpResponse response, Router.Match match) {
    if (!match.allowed().isEmpty()) {
      return notAllowed(response, match);
    }
    if (UnimplementedRoutes.covers(request.rawPath())) {
      return ApiError.notImplemented(
          "this server does not implement this call;"
              + " docs/reference/svix-compatibility.md lists the calls that it implements");
    }
    return ApiError.notFound("path");
  }

  private static ApiError notAllowed(HttpResponse response, Router.Match match) {
    String allowed = String.join(", ", match.allowed());
    response.header(HeaderNames.ALLOW, allowed);
    return new ApiError(405, "method_not_allowed", "this path supports " + allowed);
  }

  /** A token with its header, for the other requests of its connection. */
  private record Presented(String header, ApiToken token) {}

  private static ApiToken token(HttpRequest request) {
    if (request.attachment() instanceof Presented before
        && request.isSecretHeader(HeaderNames.AUTHORIZATION, before.header())) {
      return before.token();
    }
    String header = request.header(HeaderNames.AUTHORIZATION);
    if (header == null) {
      return ApiToken.of("");
    }
    ApiToken token = ApiToken.of(BearerToken.in(header));
    request.attach(new Presented(header, token));
    return token;
  }

  private ApiKey authenticate(HttpRequest request, HttpResponse response) {
    ApiToken token = token(request);
    ApiKey key = keys.authenticate(token);
    if (key == null) {
      response.header(HeaderNames.WWW_AUTHENTICATE, "Bearer");
      throw keys.isJwtSecret(token.text()) ? ApiError.jwtSecret() : ApiError.unauthenticated();
    }
    return key;
  }

  private static void refuseIfBeyond(ApiKey key, Router.Route route, String verb) {
    Scope scope = route.scope();
    if (scope == Scope.SELF) {
      return;
    }
    if (key.role() == ApiKey.Role.READ_ONLY && !verb.equals("GET")) {
      throw ApiError.forbidden("this API key is read-only");
    }
    if (key.role() == ApiKey.Role.READ_ONLY && route.has(RouteAttribute.RETURNS_SECRET)) {
      throw ApiError.forbidden(
          "this API key is read-only and cannot read keys, tokens and secrets; use an API key"
              + " with the role full");
    }
    boolean shut =
        scope == Scope.ENVIRONMENT || (scope == Scope.CATALOG && key.featureFlags() == null);
    if (key.applicationId() != null && shut) {
      throw ApiError.forbidden(
          "this API key belongs to one application; this request needs an API key of the"
              + " environment");
    }
    if (key.capabilities() != null) {
      PortalRules.refuseIfBeyond(key.capabilities(), route);
    }
  }

  private static void fail(HttpResponse response, Errors.Answer answer) {
    if (response.isSent()) {
      return;
    }
    if (answer.retryAfter() != null) {
      response.header(
          HeaderNames.RETRY_AFTER, String.valueOf(Math.max(1, answer.retryAfter().toSeconds())));
    }
    if (answer.closes()) {
      response.close();
    }
    response.status(answer.status());
    sendError(response, answer.body());
  }

  private static void sendError(HttpResponse response, byte[] body) {
    response.header(HeaderNames.CONTENT_TYPE, "application/json").send(body);
  }
}
