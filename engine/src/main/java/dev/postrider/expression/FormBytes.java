package dev.postrider.expression;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts an HTML form or the query of a URL to the object that expressions read. */
public final class FormBytes {
  public static final String MEDIA_TYPE = "application/x-www-form-urlencoded";

  private FormBytes() {}

  /**
   * @param contentType with or without parameters; null means JSON
   */
  public static boolean isForm(@Nullable String contentType) {
    if (contentType == null) {
      return false;
    }
    int end = contentType.indexOf(';');
    String type = end < 0 ? contentType : contentType.substring(0, end);
    return type.strip().toLowerCase(Locale.ROOT).equals(MEDIA_TYPE);
  }

  /** Fields by name; one that is given several times is a list. */
  public static Map<String, Object> read(byte[] payload) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String pair : new String(payload, StandardCharsets.UTF_8).split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
      fields.merge(name, value, FormBytes::both);
    }
    return fields;
  }

  private static Object both(Object before, Object more) {
    List<Object> all = new ArrayList<>();
    if (before instanceof List<?> list) {
      all.addAll(list);
    } else {
      all.add(before);
    }
    all.add(more);
    return all;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
