package dev.postrider.api;

import static java.util.Objects.requireNonNull;

import dev.postrider.endpoint.HeaderRules;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OpenAPI 3.1 description of this server. The files in {@code resources/openapi} say for each
 * call what no code can tell: its name, parameters, body and answers, and the keys of calls that
 * check them by themselves, in a short form. Everything that follows from the route is added here:
 * the path's parameters, the caller's key, the idempotency key, and the errors that every such call
 * has. {@code OpenApiTest} fails when a route is missing there, or has gone here.
 */
final class OpenApi {
  static final List<String> FILES =
      List.of(
          "common",
          "application",
          "endpoint",
          "message",
          "attempt",
          "event-type",
          "environment",
          "operations",
          "operational-webhook",
          "agent-route",
          "queue",
          "portal",
          "hosted",
          "source",
          "ingest",
          "watching",
          "configuration",
          "server");

  private static final Pattern OPEN = Pattern.compile("\\{([^}]+)}");
  private static final String JSON = "application/json";
  private static final String COMPONENTS = "#/components/";

  private final ObjectNode document = Json.MAPPER.createObjectNode();
  private final Map<String, Object> limits = limits();
  private final Map<String, JsonNode> calls = new TreeMap<>();

  private OpenApi() {}

  /** The whole document. */
  static ObjectNode of(List<Router.Route> routes) {
    OpenApi openApi = new OpenApi();
    FILES.forEach(openApi::read);
    for (Router.Route route : routes) {
      JsonNode call = openApi.calls.get(key(route.method(), route.path()));
      if (call != null) {
        openApi.operation(route, call);
      } else {
        openApi.document.withArray("/x-undescribed").add(key(route.method(), route.path()));
      }
    }
    openApi.document.set("x-limits", Json.MAPPER.valueToTree(openApi.limits));
    return openApi.document;
  }

  /** What the files describe, as method and path with {@code {}} for every open part. */
  static List<String> described() {
    OpenApi openApi = new OpenApi();
    FILES.forEach(openApi::read);
    return List.copyOf(openApi.calls.keySet());
  }

  static String key(String method, String path) {
    return method + " " + path.replaceAll("\\{[^}]*}", "{}");
  }

  /** The named limits; durations in seconds, the form of a text as a regular expression. */
  private static Map<String, Object> limits() {
    Map<String, Object> limits = new TreeMap<>();
    collect(limits, "", Limits.class);
    collect(limits, "HEADER_", HeaderRules.class);
    collect(limits, "SOURCE_", SourceFields.class);
    return limits;
  }

  private static void collect(Map<String, Object> limits, String prefix, Class<?> type) {
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) || !field.canAccess(null)) {
        continue;
      }
      String name = prefix + field.getName();
      switch (value(field)) {
        case Integer number -> limits.put(name, number);
        case Duration time -> limits.put(name + "_SECONDS", time.toSeconds());
        case TextRule rule when rule.pattern() != null ->
            limits.put(name.replace("_RULE", "_PATTERN"), "^" + rule.pattern() + "$");
        default -> {}
      }
    }
  }

  private static Object value(Field field) {
    try {
      return requireNonNull(field.get(null));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("a limit cannot be read", e);
    }
  }

  private void read(String file) {
    JsonNode part = load(file);
    for (Map.Entry<String, JsonNode> entry : part.properties()) {
      switch (entry.getKey()) {
        case "calls" -> calls(entry.getValue());
        case "components" -> merge(document.withObject("/components"), entry.getValue());
        case "schemas" -> schemas(entry.getValue());
        default -> document.set(entry.getKey(), entry.getValue());
      }
    }
  }

  private JsonNode load(String file) {
    String resource = "/openapi/" + file + ".yaml";
    try (InputStream in = OpenApi.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("there is no " + resource);
      }
      Object yaml = new Load(LoadSettings.builder().build()).loadFromInputStream(in);
      return limited(Json.MAPPER.valueToTree(yaml));
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
  }

  /** Puts the value of a limit where its name stands: {@code maxLength: $NAME}. */
  private JsonNode limited(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (String name : List.copyOf(object.propertyNames())) {
        JsonNode value = object.get(name);
        object.set(name, value.isString() ? limit(value) : limited(value));
      }
    } else if (node instanceof ArrayNode array) {
      array.forEach(this::limited);
    }
    return node;
  }

  private JsonNode limit(JsonNode text) {
    String name = text.stringValue();
    if (!name.matches("\\$[A-Z_]+")) {
      return text;
    }
    Object value = limits.get(name.substring(1));
    if (value == null) {
      throw new IllegalStateException("there is no limit " + name);
    }
    return Json.MAPPER.valueToTree(value);
  }

  private void calls(JsonNode paths) {
    for (Map.Entry<String, JsonNode> path : paths.properties()) {
      for (Map.Entry<String, JsonNode> call : path.getValue().properties()) {
        ObjectNode described = (ObjectNode) call.getValue();
        described.put("path", path.getKey());
        if (calls.put(key(call.getKey(), path.getKey()), described) != null) {
          throw new IllegalStateException("described twice: " + call.getKey() + path.getKey());
        }
      }
    }
  }

  private void schemas(JsonNode schemas) {
    ObjectNode all = document.withObject("/components/schemas");
    for (Map.Entry<String, JsonNode> schema : schemas.properties()) {
      ObjectNode whole = (ObjectNode) schema.getValue();
      if (whole.has("properties") && !whole.has("type")) {
        whole.put("type", "object");
      }
      all.set(schema.getKey(), whole);
    }
  }

  private static void merge(ObjectNode into, JsonNode from) {
    for (Map.Entry<String, JsonNode> entry : from.properties()) {
      JsonNode there = into.get(entry.getKey());
      if (there instanceof ObjectNode object && entry.getValue().isObject()) {
        merge(object, entry.getValue());
      } else {
        into.set(entry.getKey(), entry.getValue());
      }
    }
  }

  // ---- one operation ----

  private void operation(Router.Route route, JsonNode call) {
    ObjectNode operation =
        document
            .withObject("/paths")
            .withObjectProperty(call.path("path").asString())
            .putObject(route.method().toLowerCase(Locale.ROOT));
    copy(call, operation, "operationId", "summary", "description", "deprecated");
    operation.putArray("tags").add(call.path("tag").asString());
    if (route.scope() == Scope.PUBLIC) {
      ArrayNode security = operation.putArray("security");
      call.path("security").forEach(scheme -> security.addObject().putArray(scheme.asString()));
    }
    operation.put("x-scope", route.scope().name().toLowerCase(Locale.ROOT));
    parameters(operation, route, call);
    body(operation, call);
    ObjectNode responses = operation.putObject("responses");
    answers(responses, call);
    for (int status : errors(route, call)) {
      reference(responses.putObject(String.valueOf(status)), "responses", "Error" + status);
    }
  }

  private static void copy(JsonNode from, ObjectNode to, String... names) {
    for (String name : names) {
      if (from.has(name)) {
        to.set(name, from.get(name));
      }
    }
  }

  private static void reference(ObjectNode node, String kind, String name) {
    node.put("$ref", COMPONENTS + kind + "/" + name);
  }

  private void parameters(ObjectNode operation, Router.Route route, JsonNode call) {
    ArrayNode parameters = operation.putArray("parameters");
    Matcher open = OPEN.matcher(call.path("path").asString());
    while (open.find()) {
      reference(parameters.addObject(), "parameters", "path." + open.group(1));
    }
    if (call.has("page")) {
      for (String name : List.of("limit", "iterator")) {
        reference(parameters.addObject(), "parameters", name);
      }
    }
    call.path("query")
        .forEach(name -> reference(parameters.addObject(), "parameters", name.asString()));
    if (keyed(route)) {
      reference(parameters.addObject(), "parameters", "idempotency-key");
    }
    if (parameters.isEmpty()) {
      operation.remove("parameters");
    }
  }

  private static boolean keyed(Router.Route route) {
    return route.method().equals("POST") && route.scope() != Scope.PUBLIC;
  }

  private static void body(ObjectNode operation, JsonNode call) {
    JsonNode schema = call.path("body");
    if (call.has("takes")) {
      operation
          .putObject("requestBody")
          .putObject("content")
          .putObject(call.path("takes").asString());
    }
    if (schema.isMissingNode()) {
      return;
    }
    ObjectNode body = operation.putObject("requestBody");
    body.put("required", !call.path("bodyOptional").asBoolean(false));
    reference(
        body.putObject("content").putObject(JSON).putObject("schema"),
        "schemas",
        schema.asString());
  }

  private void answers(ObjectNode responses, JsonNode call) {
    if (call.has("page")) {
      answer(responses, "200", page(call.path("page").asString()));
    }
    for (Map.Entry<String, JsonNode> entry : call.path("answers").properties()) {
      JsonNode schema = entry.getValue();
      if (call.has("content")) {
        responses
            .putObject(entry.getKey())
            .put("description", schema.asString())
            .putObject("content")
            .putObject(call.path("content").asString());
      } else {
        answer(responses, entry.getKey(), schema.isNull() ? null : schema.asString());
      }
    }
  }

  private static void answer(ObjectNode responses, String status, @Nullable String schema) {
    ObjectNode response = responses.putObject(status);
    response.put(
        "description",
        switch (status) {
          case "201" -> "Created";
          case "202" -> "Accepted";
          case "204" -> "Done; there is nothing to say";
          default -> "As asked";
        });
    if (schema != null) {
      reference(
          response.putObject("content").putObject(JSON).putObject("schema"), "schemas", schema);
    }
  }

  /** The schema of a page of such items, made when it is first needed. */
  private String page(String item) {
    String name = "PageOf" + item;
    ObjectNode schemas = document.withObject("/components/schemas");
    if (!schemas.has(name)) {
      ObjectNode page = schemas.putObject(name);
      page.put("type", "object");
      page.putArray("required").add("data").add("iterator").add("prevIterator").add("done");
      ObjectNode properties = page.putObject("properties");
      ObjectNode data = properties.putObject("data").put("type", "array");
      reference(data.putObject("items"), "schemas", item);
      for (String iterator : List.of("iterator", "prevIterator")) {
        properties.putObject(iterator).putArray("type").add("string").add("null");
      }
      properties.putObject("done").put("type", "boolean");
    }
    return name;
  }

  /** The errors that follow from the route, and those that the call names. */
  private static List<Integer> errors(Router.Route route, JsonNode call) {
    TreeMap<Integer, Boolean> errors = new TreeMap<>();
    boolean secured = route.scope() != Scope.PUBLIC;
    if (secured) {
      errors.put(401, true);
      errors.put(503, true);
    }
    // Whoever reads may hold a portal's token, which may lack the capability.
    if (secured && route.scope() != Scope.SELF) {
      errors.put(403, true);
    }
    if (secured && !route.variables().isEmpty()) {
      errors.put(404, true);
    }
    if (call.has("body")) {
      List.of(400, 413, 415, 422).forEach(status -> errors.put(status, true));
    }
    if (call.has("page") || !call.path("query").isEmpty()) {
      errors.put(422, true);
    }
    if (keyed(route)) {
      List.of(409, 413, 415, 422).forEach(status -> errors.put(status, true));
    }
    call.path("errors").forEach(status -> errors.put(status.asInt(), true));
    call.path("never").forEach(status -> errors.remove(status.asInt()));
    return List.copyOf(errors.keySet());
  }
}
