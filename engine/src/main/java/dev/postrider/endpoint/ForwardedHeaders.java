package dev.postrider.endpoint;

import dev.postrider.json.Json;
import dev.postrider.net.HeaderNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selects the headers of a message that are sent to an endpoint: CloudEvents attributes and the
 * headers that a source forwards by default always, and the headers that the endpoint lists by name
 * or by a prefix with a star. Names are in lower case and sorted.
 */
public final class ForwardedHeaders {
  public static final int MAX_NAMES = 50;

  /**
   * The attributes of CloudEvents in binary mode: without them the body is not a complete event.
   */
  private static final String ALWAYS = "ce-";

  private static final String CLOUD_EVENT = "\"" + ALWAYS;
  private static final String NAMED_BY_SOURCE = "\"" + HeaderNames.FORWARDED + "\"";

  /** A delivery has its own. */
  private static final Set<String> OWN = Set.of("content-type", "content-encoding", "user-agent");

  private ForwardedHeaders() {}

  /** What is wrong with a name, with the fix; null if nothing is. */
  public static @Nullable String problem(String name) {
    boolean beginning = name.endsWith("*");
    String plain = beginning ? name.substring(0, name.length() - 1) : name;
    if (plain.isEmpty() || plain.contains("*")) {
      return "must be a header name, or a prefix followed by *, such as ce-*";
    }
    String lower = plain.toLowerCase(Locale.ROOT);
    return OWN.contains(lower)
        ? "this header is set by Postrider; remove it"
        : HeaderRules.problem(plain, "");
  }

  public static List<String> canonical(List<String> names) {
    TreeSet<String> sorted = new TreeSet<>();
    names.forEach(name -> sorted.add(name.toLowerCase(Locale.ROOT)));
    return List.copyOf(sorted);
  }

  /** The headers of a message if some of them are forwarded to every endpoint; else null. */
  public static @Nullable String ifForwarded(@Nullable String headers) {
    return headers != null && (headers.contains(CLOUD_EVENT) || headers.contains(NAMED_BY_SOURCE))
        ? headers
        : null;
  }

  /**
   * Those that the message has and that can be sent.
   *
   * @param headers the message's own, as a JSON object; null means none
   * @param taken names, in any case, that the endpoint sets itself
   */
  public static Map<String, String> of(
      List<String> names, @Nullable String headers, Set<String> taken) {
    Map<String, String> found = new LinkedHashMap<>();
    if (headers != null && (!names.isEmpty() || ifForwarded(headers) != null)) {
      Map<String, String> stored = Json.texts(headers);
      Set<String> always = Set.of(stored.getOrDefault(HeaderNames.FORWARDED, "").split(","));
      stored.forEach(
          (name, value) -> {
            if ((named(names, name) || always.contains(name.toLowerCase(Locale.ROOT)))
                && problem(name) == null
                && HeaderRules.problem(name, value) == null
                && taken.stream().noneMatch(name::equalsIgnoreCase)
                && found.size() < MAX_NAMES) {
              found.put(name, value);
            }
          });
    }
    return found;
  }

  private static boolean named(List<String> names, String header) {
    String lower = header.toLowerCase(Locale.ROOT);
    return lower.startsWith(ALWAYS)
        || names.stream()
            .anyMatch(
                name ->
                    name.endsWith("*")
                        ? lower.startsWith(name.substring(0, name.length() - 1))
                        : lower.equals(name));
  }
}
