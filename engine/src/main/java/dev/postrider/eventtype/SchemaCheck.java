package dev.postrider.eventtype;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The reaction to a message whose payload does not match the schema of its event type: none, a
 * warning or a rejection. The code is stored in the database.
 */
public enum SchemaCheck {
  /** Not checked. */
  OFF(0),
  /** Accepted with a warning, for its caller and in the log. */
  WARN(1),
  /** Rejected with the failing paths. */
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
