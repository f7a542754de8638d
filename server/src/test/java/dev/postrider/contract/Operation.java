package dev.postrider.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** One operation of the document. */
record Operation(String id, String method, String path, JsonNode node, JsonNode document) {

  static List<Operation> all(JsonNode document) {
    List<Operation> all = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        all.add(
            new Operation(
                method.getValue().get("operationId").asString(),
                method.getKey().toUpperCase(java.util.Locale.ROOT),
                path.getKey(),
                method.getValue(),
                document));
      }
    }
    return all;
  }

  String scope() {
    return node.get("x-scope").asString();
  }

  TreeSet<Integer> statuses() {
    TreeSet<Integer> statuses = new TreeSet<>();
    node.get("responses").propertyNames().forEach(name -> statuses.add(Integer.parseInt(name)));
    return statuses;
  }

  /** The description of the answer; missing if there is none. */
  JsonNode response(int status) {
    return resolved(node.get("responses").path(String.valueOf(status)));
  }

  List<JsonNode> parameters(String in) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode parameter : node.path("parameters")) {
      JsonNode one = resolved(parameter);
      if (one.get("in").asString().equals(in)) {
        found.add(one);
      }
    }
    return found;
  }

  boolean hasBody() {
    return !node.at("/requestBody/content/application~1json").isMissingNode();
  }

  JsonNode bodySchema() {
    return resolved(node.at("/requestBody/content/application~1json/schema"));
  }

  JsonNode resolved(JsonNode found) {
    JsonNode at = found;
    while (at.path("$ref").isString()) {
      at = document.at(at.get("$ref").stringValue().substring(1));
    }
    return at;
  }
}
