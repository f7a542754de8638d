package dev.postrider.api.http;

import static java.util.Objects.requireNonNull;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.http.connection.HttpRequest;
import dev.postrider.api.http.connection.HttpResponse;
import dev.postrider.json.Fields;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.key.ApiKey;
import io.helidon.common.uri.UriQuery;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One request and its response. */
public final class Call {
  private static final String JSON = "application/json";
  private static final HeaderName POLICY = HeaderNames.create("content-security-policy");
  private static final String OWN_CONTENT =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri"
          + " 'none'; form-action 'none'";
  private static final HeaderName REPLAYED = HeaderNames.create("idempotent-replayed");

  /** Reports the fields of the request that had no effect. */
  static final HeaderName IGNORED = HeaderNames.create("postrider-ignored-fields");

  private static final Pattern UNPRINTABLE = Pattern.compile("[^\\x21-\\x7e]|,");
  private static final int MAX_NAME = 64;
  private static final int NO_CONTENT = 204;

  private final HttpRequest request;
  private final HttpResponse response;
  private final Router.Route route;
  private final List<String> values;
  private final @Nullable ApiKey key;
  private final Bodies bodies;
  private final Compression compression;
  private Set<String> ignored = Set.of();
  private byte @Nullable [] body;
  private boolean recording;
  private @Nullable Recorded recorded;

  /**
   * @param values the values of the path variables of the route, in order
   */
  Call(
      HttpRequest request,
      HttpResponse response,
      Router.Route route,
      List<String> values,
      @Nullable ApiKey key,
      Bodies bodies,
      Compression compression) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.values = values;
    this.key = key;
    this.bodies = bodies;
    this.compression = compression;
  }

  /** The same call, with the caller that an API key on a public route identifies. */
  public Call as(ApiKey caller) {
    return new Call(request, response, route, values, caller, bodies, compression);
  }

  /** The caller's key; only on routes that are not public. */
  public ApiKey key() {
    return requireNonNull(key, "a route without authentication uses the caller");
  }

  public String environmentId() {
    return key().environmentId();
  }

  /** For what concerns all environments: the keys of the default one are the operator's. */
  public void refuseUnlessOperator() {
    if (!environmentId().equals(Environment.DEFAULT_ID)) {
      throw ApiError.forbidden("this request needs an API key of the default environment");
    }
  }

  /** Whether the route's path has this variable. */
  public boolean hasPath(String variable) {
    return route.variables().contains(variable);
  }

  /** What the path has for this variable of the route's path. */
  public String path(String variable) {
    int at = route.variables().indexOf(variable);
    if (at < 0) {
      throw new IllegalStateException(
          route.path() + " does not have the path parameter {" + variable + "}");
    }
    return values.get(at);
  }

  public Query query() {
    String query = request.rawQuery();
    return query == null ? Query.NONE : new Query(UriQuery.create(query));
  }

  @Nullable
  public String header(HeaderName name) {
    return request.header(name);
  }

  /** The path without a trailing slash, as the caller wrote it. */
  String rawPath() {
    String path = request.rawPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  String rawQuery() {
    String query = request.rawQuery();
    return query == null ? "" : query;
  }

  public byte[] body() throws IOException {
    if (body == null) {
      body = bodies.read(request);
    }
    return body;
  }

  /** A response that is not sent yet. */
  @SuppressWarnings("ArrayRecordComponent") // sent once
  record Recorded(int status, byte[] body) {}

  /** Runs the action and holds back its response. */
  Recorded record(Action action) throws Exception {
    recording = true;
    try {
      action.run(this);
    } finally {
      recording = false;
    }
    return requireNonNull(recorded, "the route did not return a response");
  }

  void send(Recorded answer) {
    if (answer.body().length == 0) {
      response.status(answer.status()).send();
    } else {
      json(answer.status(), answer.body());
    }
  }

  /** Sends a stored response, and marks it as repeated. */
  void sendAgain(Recorded answer) {
    response.header(REPLAYED, "true");
    send(answer);
  }

  /** The body, of which no more than that is read. */
  public byte[] body(long maxBytes) throws IOException {
    return bodies.read(request, maxBytes);
  }

  public HttpRequest request() {
    return request;
  }

  public HttpResponse response() {
    return response;
  }

  public Fields fields() throws IOException {
    return fields(body());
  }

  private Fields fields(byte[] bytes) {
    return route.has(RouteAttribute.LENIENT_BODY)
        ? Fields.of(bytes, this::ignored)
        : Fields.of(bytes);
  }

  /** Tells the caller of fields that have no effect. */
  public void ignored(List<String> names) {
    if (names.isEmpty()) {
      return;
    }
    if (ignored.isEmpty()) {
      ignored = new LinkedHashSet<>();
    }
    names.stream().map(Call::printable).forEach(ignored::add);
    response.header(IGNORED, String.join(", ", ignored));
  }

  /** A name that is allowed in a header. */
  private static String printable(String name) {
    String text = UNPRINTABLE.matcher(name).replaceAll("?");
    return text.length() > MAX_NAME ? text.substring(0, MAX_NAME) : text;
  }

  /** The body's fields; those of an empty object if there is no body. */
  public Fields fieldsIfAny() throws IOException {
    byte[] body = body();
    return fields(body.length == 0 ? new byte[] {'{', '}'} : body);
  }

  public void json(int status, byte[] answer) {
    if (recording) {
      recorded = new Recorded(status, answer);
      return;
    }
    response.status(status).header(HeaderNames.CONTENT_TYPE, JSON);
    sendBody(answer);
  }

  private void sendBody(byte[] body) {
    response.send(compression.applied(request, route, response, body));
  }

  public void json(int status, JsonOut.Writing writing) {
    json(status, JsonOut.bytes(writing));
  }

  public void extra(PublicRoute.Handler handler) throws IOException {
    byte[] body = body();
    PublicRoute.Answer answer =
        handler.answer(
            new PublicRoute.Request() {
              @Override
              public String header(String name) {
                String value = request.first(HeaderNames.create(name));
                return value == null ? "" : value;
              }

              @Override
              public byte[] body() {
                return body;
              }
            });
    response.status(answer.status());
    if (answer.status() == 401) {
      response.header(HeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    if (answer.contentType() != null) {
      response.header(HeaderNames.CONTENT_TYPE, answer.contentType());
    }
    sendBody(answer.body());
  }

  /** A file of a page; nothing from elsewhere may run in it. */
  public void file(String type, byte[] content) {
    response.status(200).header(HeaderNames.CONTENT_TYPE, type).header(POLICY, OWN_CONTENT);
    if (type.startsWith("text/")) {
      sendBody(content);
    } else {
      response.send(content);
    }
  }

  public void noContent() {
    if (recording) {
      recorded = new Recorded(NO_CONTENT, new byte[0]);
      return;
    }
    response.status(NO_CONTENT).send();
  }
}
