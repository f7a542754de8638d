package dev.postrider.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.http.RouteAttribute;
import dev.postrider.api.http.Router;
import dev.postrider.api.http.Scope;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Times;
import dev.postrider.queue.QueueStore;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.tenant.key.Capability;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Jwts;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No credential obtains a stronger one: every route is called with every kind of credential, and
 * each key, token and secret in an answer has to be one that the caller may have.
 */
@Timeout(120)
final class CredentialsTest extends CallsBehaviour {
  private static final String ORG = "org_23rb8YdGqMT0qIzpgGwdXfHirMu";
  private static final String HEADER_VALUE = "planted-header-value";
  private static final String SOURCE_SECRET = "planted-source-secret";

  private static final String ALERT_PATH = "planted-alert-path";
  private static final Pattern ALERT = Pattern.compile("[a-z]+-alert-path");

  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_-]{16,}");
  private static final Pattern SIGNING = Pattern.compile("whs(ec|k)_[A-Za-z0-9+/=]{8,}");

  /** These answers never end, or are not JSON. */
  private static final Set<String> NOT_READ =
      Set.of(
          "GET /api/v1/live",
          "GET /docs",
          "GET /docs/page.css",
          "GET /docs/page.js",
          "GET /",
          "GET /api/v1/app/{}/msg/{}/raw",
          "GET /api/v1/event-type/export/openapi/{}/schema.zip");

  /**
   * These refuse the operator too: the source has a secret URL and is deleted once, nothing was
   * received, and no run waits for a callback.
   */
  private static final Pattern REFUSED =
      Pattern.compile(
          ".* /(in|events|callback)/.*|POST .*/(commit|ack|nack|auth/logout)|DELETE"
              + " /api/v1/source/\\{}");

  /** One of them creates the application in the environment of the key. */
  private static final Pattern MADE_ELSEWHERE =
      Pattern.compile(
          "(PUT|DELETE) /api/v1/app/\\{}|POST"
              + " /api/v1/(app/\\{}/msg/.*expunge.*|auth/app/\\{}/expire-all)");

  /** These are left out of an answer that has more in it. */
  private static final Set<Kind> PARTLY = EnumSet.of(Kind.SOURCE_URL, Kind.ALERT_URL);

  CredentialsTest() {
    kind = Databases.Kind.SQLITE;
  }

  private enum Kind {
    API_KEY,
    QUEUE_KEY,
    SIGNING_SECRET,
    SOURCE_URL,
    SOURCE_SECRET,
    ALERT_URL,
    HEADER_VALUE
  }

  /**
   * @param key what it opens, if it is an API key
   */
  private record Found(Kind kind, String text, @Nullable ApiKey key) {}

  /**
   * @param holds the kind of secret in its answer; null if there is none
   */
  private record Rule(String method, String path, @Nullable Kind holds, String body) {
    String name() {
      return method + " " + path;
    }
  }

  private static Map<String, Rule> rules() {
    try (InputStream in = CredentialsTest.class.getResourceAsStream("/secrets-by-route.txt")) {
      Map<String, Rule> rules = new LinkedHashMap<>();
      new String(requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" ", 4))
          .map(
              parts ->
                  new Rule(
                      parts[0],
                      parts[1],
                      parts[2].equals("-") ? null : Kind.valueOf(parts[2]),
                      parts.length < 4 ? "" : parts[3]))
          .forEach(rule -> rules.put(rule.name(), rule));
      return rules;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void everyRouteHasARule() {
    Map<String, Rule> rules = rules();
    Set<String> routes = new TreeSet<>();
    for (Router.Route route : api.server.routes()) {
      String name = OpenApi.key(route.method(), route.path());
      routes.add(name);
      Rule rule = rules.get(name);
      if (rule != null && rule.method().equals("GET") && !PARTLY.contains(rule.holds())) {
        assertThat(route.has(RouteAttribute.RETURNS_SECRET))
            .as(name + " is added as a secret")
            .isEqualTo(rule.holds() != null);
      }
    }
    assertThat(rules.keySet())
        .as("say in secrets-by-route.txt which secret the answer of a new route holds")
        .containsExactlyInAnyOrderElementsOf(routes);
  }

  private static Stream<String> credentials() {
    return Stream.concat(
        Stream.of(
            "operator",
            "operator, read-only",
            "operator, expiring",
            "other environment",
            "application",
            "application, read-only",
            "other application",
            "integration",
            "portal",
            "portal without capabilities",
            "queue key",
            "poller token",
            "environment by JWT",
            "application by JWT",
            "nobody"),
        Arrays.stream(Capability.values()).map(one -> "portal " + one.text()));
  }

  @ParameterizedTest
  @MethodSource("credentials")
  void obtainsNothingStronger(String credential) {
    World world = new World(credential.endsWith("JWT"));
    String token = world.credential(credential);
    ApiKey caller = token.isEmpty() ? null : api.keys.authenticate(token);
    List<String> wrong = new ArrayList<>();
    Map<String, String> statuses = new HashMap<>();
    for (Rule rule : rules().values()) {
      if (NOT_READ.contains(rule.name())) {
        statuses.put(rule.name(), StatusTable.cell(world.status(token, rule)));
      }
    }
    for (Rule rule : inOrder()) {
      Answer answer = world.call(token, rule);
      statuses.put(rule.name(), StatusTable.cell(answer.status()));
      Set<Found> found = world.found(answer);
      found.stream()
          .filter(one -> !mayHave(caller, one, world))
          .forEach(one -> wrong.add(rule.name() + ": " + one));
      if (credential.equals("operator")) {
        String shown = rule.name() + " " + answer.status() + " " + answer.json();
        Set<Kind> kinds = found.stream().map(Found::kind).collect(Collectors.toSet());
        assertThat(kinds)
            .as(shown)
            .isEqualTo(rule.holds() == null ? Set.of() : Set.of(rule.holds()));
        assertThat(answer.status() < 300 || REFUSED.matcher(rule.name()).matches())
            .as("the rule's body is accepted: " + shown)
            .isTrue();
      }
    }
    assertThat(wrong).isEmpty();
    StatusTable.read(credentials().toList()).check(credential, statuses);
  }

  /** What the scope of a route means for each credential: the file was not only written. */
  @Test
  void statusesFollowFromTheScopes() {
    StatusTable table = StatusTable.read(credentials().toList());
    List<String> wrong = new ArrayList<>();
    Set<String> routes = new TreeSet<>();
    for (Router.Route route : api.server.routes()) {
      String name = OpenApi.key(route.method(), route.path());
      routes.add(name);
      credentials()
          .forEach(
              credential -> {
                String status = table.status(name, credential);
                Set<String> expected = expected(route, name, credential);
                if (!expected.isEmpty() && !expected.contains(status)) {
                  wrong.add(name + " for " + credential + ": " + status + ", not " + expected);
                }
              });
    }
    assertThat(wrong).isEmpty();
    assertThat(table.routes()).containsExactlyInAnyOrderElementsOf(routes);
  }

  /** Empty: the scope does not decide it. */
  private static Set<String> expected(Router.Route route, String name, String credential) {
    Scope scope = route.scope();
    boolean reads = route.method().equals("GET");
    if (scope == Scope.PUBLIC) {
      return Set.of();
    }
    if (Set.of("nobody", "queue key", "poller token").contains(credential)) {
      return Set.of("401");
    }
    if (scope == Scope.SELF) {
      return Set.of();
    }
    if (credential.endsWith("read-only") && (!reads || route.has(RouteAttribute.RETURNS_SECRET))) {
      return Set.of("403");
    }
    boolean application = credential.matches("(other )?application(, read-only)?");
    if (application && (scope == Scope.ENVIRONMENT || scope == Scope.CATALOG)) {
      return Set.of("403");
    }
    boolean token = credential.matches("integration|portal.*|application by JWT");
    if (token && scope == Scope.ENVIRONMENT) {
      return Set.of("403");
    }
    boolean inPath = route.path().contains("{application}");
    if (inPath && credential.equals("other application")) {
      return Set.of("404");
    }
    if (inPath && credential.equals("other environment")) {
      return MADE_ELSEWHERE.matcher(name).matches() ? Set.of("404", "ok") : Set.of("404");
    }
    if (credential.equals("portal without capabilities")) {
      return Set.of("403");
    }
    if (credential.equals("operator, expiring") && name.endsWith("/api-key") && !reads) {
      return Set.of("422");
    }
    return credential.startsWith("operator")
            && !REFUSED.matcher(name).matches()
            && !NOT_READ.contains(name)
        ? Set.of("ok")
        : Set.of();
  }

  /**
   * Everything that exists when secrets are hidden stays hidden, whatever is called; what a call
   * creates is in its response.
   */
  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/environment", "applications"})
  void aHiddenSecretIsReturnedOnlyByTheCallThatCreatesIt(String setting) {
    World world = new World(false);
    boolean everywhere = setting.equals("/api/v1/environment");
    for (String path :
        everywhere
            ? List.of(setting)
            : List.of("/api/v1/app/acme", "/api/v1/app/orders", "/api/v1/app/postrider-alerts")) {
      expect(200, "PATCH", path, "{\"hideSecrets\":true}");
    }
    List<String> wrong = new ArrayList<>();
    Set<String> created = new TreeSet<>();
    for (Rule rule : inOrder()) {
      // Their secrets belong to no application that hides them.
      boolean elsewhere = !everywhere && rule.path().contains("operational-webhook");
      Answer answer = world.call(api.token, rule);
      for (Found found : world.found(answer)) {
        if (world.planted.contains(found.text()) && !elsewhere) {
          wrong.add(rule.name() + " returns an old secret: " + found);
        }
        if (rule.method().equals("POST") || rule.name().equals("PUT /api/v1/alert/{}")) {
          created.add(rule.name());
        } else if (!elsewhere && found.kind() != Kind.ALERT_URL) {
          wrong.add(rule.name() + " creates nothing and returns " + found);
        }
      }
      if (rule.holds() == Kind.SIGNING_SECRET && rule.method().equals("GET") && !elsewhere) {
        assertThat(answer.status()).as(rule.name()).isEqualTo(403);
        assertThat(answer.text("/code")).isEqualTo("secret_hidden");
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(created)
        .contains(
            "POST /api/v1/app/{}/endpoint",
            "POST /api/v1/app/{}/endpoint/{}/secret/rotate",
            "POST /api/v1/app/{}/secret/rotate",
            "POST /api/v1/app/{}/integration/{}/key/rotate",
            "POST /api/v1/app/{}/queue",
            "POST /api/v1/auth/app/{}/poller/{}/token/rotate",
            "POST /ingest/api/v1/source",
            "POST /ingest/api/v1/source/{}/token/rotate");
  }

  /** What others need is ended last. */
  private static List<Rule> inOrder() {
    return rules().values().stream()
        .filter(rule -> !NOT_READ.contains(rule.name()))
        .sorted(
            Comparator.<Rule>comparingInt(
                    rule ->
                        rule.path().endsWith("logout")
                            ? 3
                            : rule.method().equals("DELETE")
                                ? 2
                                : rule.path().matches(".*ex(punge|pire).*") ? 1 : 0)
                .thenComparing(Rule::method)
                .thenComparing(rule -> -rule.path().length()))
        .toList();
  }

  private static boolean mayHave(@Nullable ApiKey caller, Found found, World world) {
    if (caller == null
        || caller.role() == Role.READ_ONLY
        || (world.planted.contains(found.text()) && !world.reachedBy(caller))) {
      return false;
    }
    return switch (found.kind()) {
      case API_KEY -> isAtLeast(caller, requireNonNull(found.key()));
      case QUEUE_KEY -> caller.capabilities() == null;
      case SIGNING_SECRET ->
          caller.capabilities() == null
              || caller.capabilities().contains(Capability.VIEW_ENDPOINT_SECRET);
      case SOURCE_URL, ALERT_URL -> caller.applicationId() == null;
      case SOURCE_SECRET, HEADER_VALUE -> false;
    };
  }

  private static boolean isOperator(ApiKey key) {
    return key.environmentId().equals(Environment.DEFAULT_ID) && key.applicationId() == null;
  }

  private static boolean isAtLeast(ApiKey caller, ApiKey other) {
    return (isOperator(caller) || caller.environmentId().equals(other.environmentId()))
        && (caller.applicationId() == null || caller.applicationId().equals(other.applicationId()))
        && covers(caller.capabilities(), other.capabilities())
        && covers(caller.featureFlags(), other.featureFlags())
        && livesAsLong(caller, other);
  }

  /**
   * Null is for ever. Portal tokens, which live a week at most, and integration keys have an end of
   * their own.
   */
  private static boolean livesAsLong(ApiKey caller, ApiKey other) {
    return other.capabilities() != null
        || caller.expiresAt() == null
        || (other.expiresAt() != null && !other.expiresAt().isAfter(caller.expiresAt()));
  }

  /** Null does not restrict anything. */
  private static boolean covers(@Nullable Set<?> mine, @Nullable Set<?> others) {
    return mine == null || (others != null && mine.containsAll(others));
  }

  /** One of everything, with its secrets. */
  private final class World {
    final Set<String> planted = new HashSet<>();
    private final String owner;
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, @Nullable ApiKey> authenticated = new HashMap<>();
    private final QueueStore queues =
        new QueueStore(database, api.stores.ids, api.time, EventPublisher.NONE);
    private final String environmentId;

    World(boolean byJwt) {
      owner = byJwt ? Jwts.hs256("{\"sub\":\"" + ORG + "\"}") : api.token;
      environmentId = byJwt ? ORG : Environment.DEFAULT_ID;
      HistoryFixture history = new HistoryFixture(api, database);
      history.fill();
      String message = history.messages.getFirst();
      if (byJwt) {
        make("/api/v1/app", "{\"name\":\"A\",\"uid\":\"acme\"}");
        make("/api/v1/app/acme/endpoint", endpoint());
      }
      String attempts = "/api/v1/app/acme/attempt/msg/" + message;
      for (String one : List.of("app", "app-portal-access", "dashboard-access")) {
        names.put(one, "acme");
      }
      for (String one : List.of("queue", "poller", "polling-endpoint")) {
        names.put(one, "audit");
      }
      names.put("endpoint", "main");
      names.put("msg", message);
      names.put("attempt", byJwt ? "none" : expect(200, "GET", attempts, "").text("/data/0/id"));
      names.put(
          "delivery",
          byJwt
              ? "none"
              : expect(200, "GET", "/api/v1/app/acme/delivery?status=pending", "")
                  .text("/data/0/id"));
      names.put("consumer", "one");
      names.put("openapi", "none");
      names.put("event-type", "plain");
      names.put("source", "orders");
      names.put("in", "orders");
      names.put("events", "orders");
      names.put("{}", "orders");
      names.put("alert", "ops");
      names.put("callback", "none");
      names.put(
          "environments",
          expect(201, "POST", "/api/v1/environments", "{\"name\":\"B\"}").text("/id"));
      names.put(
          "api-key",
          make(
                  "/api/v1/auth/api-key",
                  "{\"name\":\"victim\",\"expiresAt\":\"2099-01-01T00:00:00Z\"}")
              .text("/id"));
      names.put(
          "background-task",
          make(
                  "/api/v1/stats/usage/app",
                  "{\"since\":\"2026-01-01T00:00:00Z\",\"until\":\"2026-01-02T00:00:00Z\"}")
              .text("/id"));
      names.put(
          "route",
          make("/api/v1/app/acme/route", "{\"eventType\":\"a\",\"agentIntent\":\"i\"}")
              .text("/id"));
      make("/api/v1/event-type", "{\"name\":\"plain\",\"description\":\"d\"}");
      make("/api/v1/app/acme/event-type", "{\"name\":\"plain\",\"description\":\"d\"}");
      as(
          owner,
          204,
          "PUT",
          "/api/v1/app/acme/endpoint/main/headers",
          "{\"headers\":{\"X-Pass\":\"" + HEADER_VALUE + "\"}}");
      plant(get("/api/v1/app/acme/secret").text("/key"));
      plant(get("/api/v1/app/acme/endpoint/main/secret").text("/key"));
      names.put(
          "queue key", plant(make("/api/v1/app/acme/queue", "{\"name\":\"audit\"}").text("/key")));
      names.put(
          "poller token",
          plant(make("/api/v1/auth/app/acme/poller/audit/token/rotate", "{}").text("/token")));
      names.put(
          "integration",
          make("/api/v1/app/acme/integration", "{\"name\":\"I\",\"featureFlags\":[\"beta\"]}")
              .text("/id"));
      names.put(
          "integration key",
          plant(
              get("/api/v1/app/acme/integration/" + names.get("integration") + "/key")
                  .text("/key")));
      make("/api/v1/operational-webhook/endpoint", endpoint());
      plant(get("/api/v1/operational-webhook/endpoint/main/secret").text("/key"));
      String url =
          make(
                  "/ingest/api/v1/source",
                  "{\"name\":\"Orders\",\"uid\":\"orders\",\"type\":\"generic-webhook\"}")
              .text("/ingestUrl");
      plant(url.substring(url.lastIndexOf('/') + 1));
      make("/ingest/api/v1/source/orders/endpoint", endpoint());
      as(
          owner,
          200,
          "PATCH",
          "/api/v1/source/orders",
          "{\"verify\":\"slack\",\"secret\":\"" + SOURCE_SECRET + "\"}");
      as(
          owner,
          201,
          "PUT",
          "/api/v1/alert/ops",
          "{\"type\":\"slack\",\"url\":\"https://example.com/" + plant(ALERT_PATH) + "\"}");
    }

    private static String endpoint() {
      return "{\"url\":\"https://example.com/\",\"uid\":\"main\"}";
    }

    private Answer make(String path, String body) {
      Answer answer = api.callAs(owner, "POST", path, body.isEmpty() ? null : body);
      assertThat(answer.status()).as(path + " " + answer.json()).isBetween(200, 299);
      return answer;
    }

    private Answer get(String path) {
      return as(owner, 200, "GET", path, "");
    }

    private String plant(String secret) {
      planted.add(secret);
      return secret;
    }

    boolean reachedBy(ApiKey caller) {
      return caller.environmentId().equals(environmentId)
          && (caller.applicationId() == null
              || caller.applicationId().value().equals(applicationId()));
    }

    private Id applicationId() {
      return requireNonNull(api.stores.applications.find(environmentId, "acme")).id().value();
    }

    String credential(String name) {
      return switch (name) {
        case "operator", "environment by JWT" -> owner;
        case "operator, read-only" -> api.key(null, Role.READ_ONLY);
        case "operator, expiring" ->
            make(
                    "/api/v1/auth/api-key",
                    "{\"name\":\"e\",\"expiresAt\":\""
                        + Times.text(api.time.nowMs() + 3_600_000)
                        + "\"}")
                .text("/token");
        case "other environment" ->
            expect(
                    201,
                    "POST",
                    "/api/v1/environments/" + names.get("environments") + "/api-key",
                    "{\"name\":\"k\"}")
                .text("/token");
        case "application" -> api.key(applicationId(), Role.FULL);
        case "application, read-only" -> api.key(applicationId(), Role.READ_ONLY);
        case "other application" ->
            api.key(api.stores.application("other").id().value(), Role.FULL);
        case "integration" -> requireNonNull(names.get("integration key"));
        case "queue key", "poller token" -> requireNonNull(names.get(name));
        case "portal" -> portal("{}");
        case "portal without capabilities" -> portal("{\"capabilities\":[]}");
        case "application by JWT" ->
            Jwts.hs256(
                "{\"org\":\""
                    + ORG
                    + "\",\"sub\":\""
                    + applicationId().text(IdKind.APPLICATION)
                    + "\"}");
        case "nobody" -> "";
        default -> portal("{\"capabilities\":[\"" + name.substring("portal ".length()) + "\"]}");
      };
    }

    private String portal(String body) {
      return expect(200, "POST", "/api/v1/auth/app-portal-access/acme", body).text("/token");
    }

    /** Of a response that is not read; a stream is asked for with a wrong parameter. */
    int status(String token, Rule rule) {
      try (HttpClient client = HttpClient.newHttpClient()) {
        HttpRequest.Builder request =
            HttpRequest.newBuilder(
                api.uri(rule.body().isEmpty() ? path(rule) : path(rule) + "?" + rule.body()));
        if (!token.isEmpty()) {
          request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<InputStream> response =
            client.send(request.build(), BodyHandlers.ofInputStream());
        response.body().close();
        return response.statusCode();
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(rule.name(), e);
      }
    }

    private String path(Rule rule) {
      StringBuilder path = new StringBuilder();
      String before = "";
      for (String segment : rule.path().substring(1).split("/")) {
        boolean open = segment.equals("{}");
        path.append('/').append(open ? requireNonNull(names.get(before), rule.name()) : segment);
        before = segment;
      }
      return path.toString();
    }

    Answer call(String token, Rule rule) {
      String path = path(rule);
      String body =
          rule.body()
              .replace("{msg}", requireNonNull(names.get("msg")))
              .replace("{now}", Times.text(api.time.nowMs()));
      boolean query = rule.method().equals("GET") && !body.isEmpty();
      return api.call(
          token,
          rule.method(),
          query ? path + "?" + body : path,
          query || body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body),
          "User-Agent",
          "svix-libs/2.0.0/java"); // which is shown a new secret
    }

    /** Everything in the answer that opens or signs something. */
    Set<Found> found(Answer answer) {
      String text = answer.response().body();
      Set<Found> found = new HashSet<>();
      for (Matcher m = SIGNING.matcher(text); m.find(); ) {
        found.add(new Found(Kind.SIGNING_SECRET, m.group(), null));
      }
      for (Matcher m = WORD.matcher(text); m.find(); ) {
        String word = m.group();
        ApiKey key = authenticated.computeIfAbsent(word, api.keys::authenticate);
        if (key != null) {
          found.add(new Found(Kind.API_KEY, word, key));
        } else if (queues.byKey(word) != null || queues.byToken(word) != null) {
          found.add(new Found(Kind.QUEUE_KEY, word, null));
        } else if (word.startsWith("in_")) {
          found.add(new Found(Kind.SOURCE_URL, word, null));
        } else if (ALERT.matcher(word).matches()) {
          found.add(new Found(Kind.ALERT_URL, word, null));
        } else if (word.equals(HEADER_VALUE)) {
          found.add(new Found(Kind.HEADER_VALUE, word, null));
        } else if (word.equals(SOURCE_SECRET)) {
          found.add(new Found(Kind.SOURCE_SECRET, word, null));
        }
      }
      return found;
    }
  }
}
