package dev.postrider.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores a short list of names in one text column, separated and enclosed by commas, so that SQL
 * can search for a name as a substring. Names must not contain commas.
 */
public final class TextList {
  private TextList() {}

  public static @Nullable String encode(List<String> names) {
    return names.isEmpty() ? null : "," + String.join(",", names) + ",";
  }

  public static List<String> decode(@Nullable String text) {
    return text == null || text.length() < 2
        ? List.of()
        : List.of(text.substring(1, text.length() - 1).split(","));
  }
}
