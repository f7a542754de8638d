package dev.postrider.inbound;

import dev.postrider.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/** What vectors.py made. */
public final class Vectors {
  private static final JsonNode ALL = load();

  private Vectors() {}

  public static String get(String name) {
    return Objects.requireNonNull(ALL.get(name), name).stringValue();
  }

  private static JsonNode load() {
    try (InputStream in = Vectors.class.getResourceAsStream("/inbound/vectors.json")) {
      return Json.MAPPER.readTree(in);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
