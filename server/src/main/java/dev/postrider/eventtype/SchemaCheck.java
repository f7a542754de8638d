package dev.postrider.eventtype;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What becomes of a message that does not fit its type's schema; stored by its ordinal. */
public enum SchemaCheck {
  /** Nobody looks. */
  OFF,
  /** It passes, and the log says so. */
  WARN,
  /** It is refused with the failing paths. */
  ENFORCE;

  public static final List<String> TEXTS = Arrays.stream(values()).map(SchemaCheck::text).toList();

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static @Nullable SchemaCheck parse(String text) {
    return Arrays.stream(values())
        .filter(mode -> mode.text().equals(text))
        .findFirst()
        .orElse(null);
  }

  static SchemaCheck of(int ordinal) {
    return values()[ordinal];
  }
}
