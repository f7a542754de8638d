package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.workflow.data.JsonValue;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What started a run, as stored with it.
 *
 * @param message id, type, event_id and application of a message; null for none
 * @param parent the run and step that it is a child of; null for none
 */
public record RunOrigin(@Nullable JsonValue message, @Nullable Parent parent) {
  public static final RunOrigin NONE = new RunOrigin(null, null);

  /**
   * A run whose step started this one.
   *
   * @param seq the row with which the step began
   * @param deadlineMs of that run and step
   * @param depth how many parents this run has
   */
  public record Parent(RunRef run, int seq, long deadlineMs, int depth) {}

  public static RunOrigin childOf(RunRef run, int seq, long deadlineMs, int depth) {
    return new RunOrigin(null, new Parent(run, seq, deadlineMs, depth));
  }

  /** As stored. */
  public String json() {
    ObjectNode node = Json.MAPPER.createObjectNode();
    if (message != null) {
      node.set("message", message.tree());
    }
    if (parent != null) {
      node.putObject("parent")
          .put("application", parent.run().applicationId().uuid().toString())
          .put("run", parent.run().runId().uuid().toString())
          .put("seq", parent.seq())
          .put("deadline", parent.deadlineMs())
          .put("depth", parent.depth());
    }
    return node.toString();
  }

  static RunOrigin parse(String json) {
    JsonNode node = Json.MAPPER.readTree(json);
    JsonNode message = node.get("message");
    JsonNode parent = node.get("parent");
    return new RunOrigin(
        message == null ? null : JsonValue.of(message), parent == null ? null : parent(parent));
  }

  private static Parent parent(JsonNode node) {
    return new Parent(
        new RunRef(id(node.path("application")), id(node.path("run"))),
        node.path("seq").asInt(),
        node.path("deadline").asLong(),
        node.path("depth").asInt());
  }

  private static Id id(JsonNode node) {
    return Id.of(UUID.fromString(node.asString()));
  }
}
