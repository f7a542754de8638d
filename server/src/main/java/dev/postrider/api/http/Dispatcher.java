package dev.postrider.api.http;

import dev.postrider.api.http.connection.RequestTimeouts;
import dev.postrider.audit.Actor;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKeys;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/**
 * Handles every request: request id, route, authentication, action, and conversion of exceptions to
 * responses.
 */
public final class Dispatcher implements Handler {
  public static final Header NO_SNIFF =
      HeaderValues.createCached(HeaderNames.create("x-content-type-options"), "nosniff");

  private final Router router;
  private final ApiKeys keys;
  private final Bodies bodies;
  private final Compression compression = Compression.ofMachine();
  private final RequestTimeouts slow;
  private final IdempotentCalls repeated;
  private final RequestIds requestIds;
  private final HttpSurface offer;
  private final ManagementRate rate;

  public Dispatcher(
      Router router,
      ApiKeys keys,
      Bodies bodies,
      RequestTimeouts slow,
      IdempotentCalls repeated,
      RequestIds requestIds,
      HttpSurface offer,
      ManagementRate rate) {
    this.router = router;
    this.keys = keys;
    this.bodies = bodies;
    this.slow = slow;
    this.repeated = repeated;
    this.requestIds = requestIds;
    this.offer = offer;
    this.rate = rate;
  }

  @Override
  public void handle(ServerRequest request, ServerResponse response) {
    slow.working();
    String requestId = requestIds.of(request.headers().value(RequestIds.HEADER).orElse(""));
    response.header(RequestIds.HEADER, requestId).header(NO_SNIFF);
    try {
      dispatch(request, response);
    } catch (CloseConnectionException e) {
      throw e;
    } catch (Throwable thrown) {
      fail(response, Errors.answer(thrown, requestId));
    } finally {
      bodies.release(request);
      slow.reading();
    }
    closeIfAnnounced(request, response);
  }

  /**
   * The announced close has to be done: Helidon continues reading after such a response, and would
   * treat the rest of the rejected body as the next request.
   */
  private void closeIfAnnounced(ServerRequest request, ServerResponse response) {
    if (response.headers().containsToken(HeaderValues.CONNECTION_CLOSE)) {
      if (!request.content().consumed()) {
        bodies.drop(request);
      }
      throw new CloseConnectionException("the connection was closed after its last response");
    }
  }

  private void dispatch(ServerRequest request, ServerResponse response) throws Exception {
    Method method = request.prologue().method();
    String verb = method.equals(Method.HEAD) ? "GET" : method.text();
    Router.Match match = router.find(verb, request.prologue().uriPath().rawPath());
    offer.refuseUnlessOffered(match);
    Router.Route route = match.route();
    if (route == null) {
      throw unrouted(request, response, match);
    }
    if (method.equals(Method.HEAD) && route.has(RouteAttribute.NO_HEAD)) {
      throw notAllowed(response, match);
    }
    if (route.has(RouteAttribute.STREAM) && slow.http10()) {
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

  private static ApiError unrouted(
      ServerRequest request, ServerResponse response, Router.Match match) {
    if (!match.allowed().isEmpty()) {
      return notAllowed(response, match);
    }
    if (UnimplementedRoutes.covers(request.prologue().uriPath().rawPath())) {
      return ApiError.notImplemented(
          "this server does not implement this call;"
              + " docs/reference/svix-compatibility.md lists the calls that it implements");
    }
    return ApiError.notFound("path");
  }

  private static ApiError notAllowed(ServerResponse response, Router.Match match) {
    String allowed = String.join(", ", match.allowed());
    response.header(HeaderNames.ALLOW, allowed);
    return new ApiError(405, "method_not_allowed", "this path supports " + allowed);
  }

  private ApiKey authenticate(ServerRequest request, ServerResponse response) {
    String header = request.headers().value(HeaderNames.AUTHORIZATION).orElse("");
    String token = BearerToken.in(header);
    ApiKey key = keys.authenticate(token);
    if (key == null) {
      response.header(HeaderNames.WWW_AUTHENTICATE, "Bearer");
      throw keys.isJwtSecret(token) ? ApiError.jwtSecret() : ApiError.unauthenticated();
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

  private static void fail(ServerResponse response, Errors.Answer answer) {
    if (response.isSent()) {
      return;
    }
    if (answer.retryAfter() != null) {
      response.header(
          HeaderNames.RETRY_AFTER, String.valueOf(Math.max(1, answer.retryAfter().toSeconds())));
    }
    if (answer.closes()) {
      response.header(HeaderNames.CONNECTION, "close");
    }
    response
        .status(Status.create(answer.status()))
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .send(answer.body());
  }
}
