package dev.postrider.inbound.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The headers of a request; names are case-insensitive, values keep their order. */
public final class Headers {
  private final Map<String, List<String>> byName;

  private Headers(Map<String, List<String>> byName) {
    this.byName = byName;
  }

  public static Headers of(Map<String, List<String>> headers) {
    Map<String, List<String>> byName = new TreeMap<>();
    headers.forEach(
        (name, values) ->
            byName
                .computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                .addAll(values));
    byName.values().removeIf(List::isEmpty);
    return new Headers(byName);
  }

  /** With this value in place of the received ones. */
  Headers with(String name, String value) {
    Map<String, List<String>> changed = new TreeMap<>(byName);
    changed.put(name, List.of(value));
    return new Headers(changed);
  }

  Headers without(String name) {
    Map<String, List<String>> changed = new TreeMap<>(byName);
    changed.remove(name);
    return new Headers(changed);
  }

  /** All values; empty if the header is missing. */
  public List<String> all(String name) {
    return Collections.unmodifiableList(
        byName.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
  }

  public @Nullable String first(String name) {
    List<String> values = all(name);
    return values.isEmpty() ? null : values.getFirst();
  }

  /**
   * All values joined by commas, as HTTP defines for repeated headers. A second value of a header
   * that should have only one therefore never hides the first.
   */
  public @Nullable String joined(String name) {
    List<String> values = all(name);
    return switch (values.size()) {
      case 0 -> null;
      case 1 -> values.getFirst().strip();
      default -> String.join(",", values);
    };
  }

  /** In lower case, sorted. */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  /** The names only: values may be secret. */
  @Override
  public String toString() {
    return "Headers" + byName.keySet();
  }
}
