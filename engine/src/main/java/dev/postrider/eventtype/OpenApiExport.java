package dev.postrider.eventtype;

import dev.postrider.json.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes event types as the webhooks of an OpenAPI document, each with its newest schema: the
 * opposite of {@link OpenApiImport}.
 */
public final class OpenApiExport {
  private OpenApiExport() {}

  public static ObjectNode of(Iterable<EventType> types) {
    ObjectNode document = Json.MAPPER.createObjectNode().put("openapi", "3.1.0");
    document.putObject("info").put("title", "Event types").put("version", "1");
    ObjectNode webhooks = document.putObject("webhooks");
    for (EventType type : types) {
      write(webhooks.putObject(type.name()).putObject("post"), type);
    }
    return document;
  }

  private static void write(ObjectNode operation, EventType type) {
    EventType.Spec spec = type.spec();
    operation
        .put("operationId", type.name())
        .put("description", spec.get(EventTypeFields.DESCRIPTION));
    if (spec.get(EventTypeFields.DEPRECATED)) {
      operation.put("deprecated", true);
    }
    String group = spec.get(EventTypeFields.GROUP_NAME);
    if (group != null) {
      operation.put("x-group-name", group);
    }
    if (!spec.get(EventTypeFields.FEATURE_FLAGS).isEmpty()) {
      ArrayNode flags = operation.putArray("x-feature-flags");
      spec.get(EventTypeFields.FEATURE_FLAGS).forEach(flags::add);
    }
    JsonNode schema = SchemaVersions.newest(spec.get(EventTypeFields.SCHEMAS));
    if (schema != null) {
      operation
          .putObject("requestBody")
          .putObject("content")
          .putObject("application/json")
          .set("schema", schema);
    }
    operation.putObject("responses").putObject("2XX").put("description", "Received");
  }
}
