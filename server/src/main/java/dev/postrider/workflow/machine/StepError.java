package dev.postrider.workflow.machine;

import dev.postrider.json.Json;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.ErrorClass;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An error, as {@code $error} has it.
 *
 * @param type its class: a word of {@link ErrorClass}, or the {@code error} of a step of the type
 *     fail
 * @param step the name of the step in which it happened; null: in the run
 * @param attempts attempts of that step
 * @param status of the last response; null without one
 * @param body of the last response; null without one
 * @param branch the name of the branch, if it happened in one
 * @param index the index of the item, if it happened in one
 */
public record StepError(
    String type,
    String message,
    @Nullable String step,
    int attempts,
    @Nullable Integer status,
    @Nullable JsonValue body,
    @Nullable String branch,
    @Nullable Integer index) {

  /** Longer bodies are cut: the error is stored in addition to the attempt. */
  public static final int MAX_BODY = 16 * 1024;

  private static final int MAX_MESSAGE = 1_000;

  public StepError {
    message = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "…" : message;
    if (body != null && body.size() > MAX_BODY) {
      body = JsonValue.ofText(cut(body.json()));
    }
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MAX_BODY / 4)) + "…";
  }

  public static StepError of(ErrorClass type, String message) {
    return new StepError(type.word(), message, null, 0, null, null, null, null);
  }

  StepError at(String name, int attempts) {
    return new StepError(type, message, name, attempts, status, body, branch, index);
  }

  StepError inBranch(String name) {
    return new StepError(type, message, step, attempts, status, body, name, index);
  }

  StepError inItem(int item) {
    return new StepError(type, message, step, attempts, status, body, branch, item);
  }

  public JsonValue json() {
    ObjectNode node = Json.MAPPER.createObjectNode();
    node.put("class", type);
    node.put("message", message);
    if (step != null) {
      node.put("step", step);
    }
    node.put("attempts", attempts);
    if (status != null) {
      node.put("status", status);
    }
    if (body != null) {
      node.set("body", body.tree());
    }
    if (branch != null) {
      node.put("branch", branch);
    }
    if (index != null) {
      node.put("index", index);
    }
    return JsonValue.of(node);
  }

  /** The error that a row has as its value. */
  public static StepError read(JsonValue json) {
    JsonNode node = json.tree();
    JsonNode body = node.get("body");
    return new StepError(
        node.path("class").asString(""),
        node.path("message").asString(""),
        text(node, "step"),
        node.path("attempts").asInt(0),
        number(node, "status"),
        body == null ? null : JsonValue.of(body),
        text(node, "branch"),
        number(node, "index"));
  }

  private static @Nullable String text(JsonNode node, String name) {
    return node.has(name) ? node.get(name).asString() : null;
  }

  private static @Nullable Integer number(JsonNode node, String name) {
    return node.has(name) ? node.get(name).asInt() : null;
  }
}
