package dev.postrider.workflow.data;

import dev.postrider.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON with the members of every object in the order of their names and without blanks: the same
 * text for the same content.
 */
public final class CanonicalJson {
  private CanonicalJson() {}

  public static String write(JsonNode node) {
    return sorted(node).toString();
  }

  /** 128 bits of the SHA-256 of the text. */
  public static UUID hash(String canonical) {
    byte[] digest = Arrays.copyOf(sha256(canonical.getBytes(StandardCharsets.UTF_8)), 16);
    return new UUID(longAt(digest, 0), longAt(digest, 8));
  }

  private static JsonNode sorted(JsonNode node) {
    if (node instanceof ObjectNode object) {
      ObjectNode copy = Json.MAPPER.createObjectNode();
      List<String> names = new ArrayList<>(object.propertyNames());
      names.sort(null);
      names.forEach(name -> copy.set(name, sorted(object.get(name))));
      return copy;
    }
    if (node instanceof ArrayNode array) {
      ArrayNode copy = Json.MAPPER.createArrayNode();
      array.forEach(item -> copy.add(sorted(item)));
      return copy;
    }
    return node;
  }

  private static long longAt(byte[] bytes, int offset) {
    return java.nio.ByteBuffer.wrap(bytes).getLong(offset);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
