package dev.postrider.json;

import dev.postrider.text.Nearest;
import java.util.Collection;
import java.util.List;

/**
 * An invalid value of a request, with a message that contains the fix.
 *
 * @param loc its path, such as {@code body, url}
 */
public record Problem(List<String> loc, String msg, String type) {
  public static final String VALUE = "value_error";
  public static final String MISSING = "value_error.missing";
  public static final String UNKNOWN = "value_error.extra";
  public static final String LIMIT = "limit_reached";
  public static final String SCHEMA = "value_error.schema";

  /** Its path within the body, such as {@code limits.maxEndpoints}. */
  public String field() {
    return String.join(".", loc.subList(1, loc.size()));
  }

  /** An unknown field, with the most similar known one. */
  public static Problem unknown(List<String> loc, Collection<String> known) {
    return new Problem(loc, Nearest.unknownField(loc.getLast(), known), UNKNOWN);
  }

  public static Problem inBody(String field, String msg) {
    return new Problem(List.of("body", field), msg, VALUE);
  }

  public static Problem inQuery(String name, String msg) {
    return new Problem(List.of("query", name), msg, VALUE);
  }
}
