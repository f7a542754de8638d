package dev.postrider.inbound.request;

import dev.postrider.expression.FormBytes;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The fields of {@code application/x-www-form-urlencoded} text, sorted by name. */
public final class FormFields {
  static final int MAX_FIELDS = 1_000;

  private final SortedMap<String, List<String>> byName;

  private FormFields(SortedMap<String, List<String>> byName) {
    this.byName = byName;
  }

  /** Null for what is not such text, or has more than {@link #MAX_FIELDS} fields. */
  public static @Nullable FormFields parse(String text) {
    SortedMap<String, List<String>> byName = new TreeMap<>();
    if (text.isEmpty()) {
      return new FormFields(byName);
    }
    String[] pairs = text.split("&", MAX_FIELDS + 1);
    if (pairs.length > MAX_FIELDS) {
      return null;
    }
    try {
      for (String pair : pairs) {
        if (!pair.isEmpty()) {
          add(byName, pair);
        }
      }
    } catch (IllegalArgumentException _) {
      return null; // a % without two hex digits
    }
    return new FormFields(byName);
  }

  /** The fields of the request body; null if it is not a form. */
  public static @Nullable FormFields of(InboundRequest request) {
    return request.mediaType().equals(FormBytes.MEDIA_TYPE)
        ? parse(new String(request.body(), StandardCharsets.UTF_8))
        : null;
  }

  private static void add(SortedMap<String, List<String>> byName, String pair) {
    int equals = pair.indexOf('=');
    String name = equals < 0 ? pair : pair.substring(0, equals);
    String value = equals < 0 ? "" : pair.substring(equals + 1);
    byName.computeIfAbsent(decode(name), _ -> new ArrayList<>()).add(decode(value));
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  @Nullable
  public String first(String name) {
    List<String> values = byName.get(name);
    return values == null ? null : values.getFirst();
  }

  public SortedMap<String, List<String>> byName() {
    return Collections.unmodifiableSortedMap(byName);
  }
}
