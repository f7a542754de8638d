package dev.postrider.eventtype;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What becomes of a message that does not fit its type's schema; stored by its code. */
public enum SchemaCheck {
  /** Nobody looks. */
  OFF(0),
  /** It passes; its caller and the log are told. */
  WARN(1),
  /** It is refused with the failing paths. */
  ENFORCE(2);

  public static final List<String> TEXTS = Arrays.stream(values()).map(SchemaCheck::text).toList();

  private final int code;

  SchemaCheck(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static @Nullable SchemaCheck parse(String text) {
    return Arrays.stream(values())
        .filter(mode -> mode.text().equals(text))
        .findFirst()
        .orElse(null);
  }

  static SchemaCheck of(int code) {
    return Arrays.stream(values()).filter(check -> check.code == code).findFirst().orElseThrow();
  }
}
