package dev.postrider.api;

import dev.postrider.api.http.Router;
import dev.postrider.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OpenAPI 3.1 description of this server: {@code resources/openapi/openapi.yaml} with the
 * schemas that {@link FieldSchemas} generates from the declared fields. {@code OpenApiTest}
 * compares it with the routes and the limits, and {@code docs/reference/openapi.json} with it.
 */
final class OpenApi {
  static final String RESOURCE = "/openapi/openapi.yaml";

  private OpenApi() {}

  /** The document without operations that this server does not implement. */
  static ObjectNode of(List<Router.Route> routes) {
    Set<String> routed =
        routes.stream().map(route -> key(route.method(), route.path())).collect(Collectors.toSet());
    ObjectNode document = document();
    ObjectNode paths = (ObjectNode) document.get("paths");
    for (String path : List.copyOf(paths.propertyNames())) {
      ObjectNode operations = (ObjectNode) paths.get(path);
      List.copyOf(operations.propertyNames()).stream()
          .filter(method -> !routed.contains(key(method, path)))
          .forEach(operations::remove);
      if (operations.isEmpty()) {
        paths.remove(path);
      }
    }
    return document;
  }

  /** The whole document. */
  static ObjectNode document() {
    ObjectNode document = read();
    ObjectNode schemas = (ObjectNode) document.get("components").get("schemas");
    schemas.setAll(FieldSchemas.components());
    return document;
  }

  private static ObjectNode read() {
    try (InputStream in = OpenApi.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing");
      }
      Object yaml = new Load(LoadSettings.builder().build()).loadFromInputStream(in);
      return Json.MAPPER.valueToTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE, e);
    }
  }

  /** An operation, independent of the names of its path variables. */
  static String key(String method, String path) {
    return method.toUpperCase(Locale.ROOT) + " " + path.replaceAll("\\{[^}]*}", "{}");
  }
}
