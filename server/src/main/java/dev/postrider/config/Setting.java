package dev.postrider.config;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one setting: its name, type, default and description.
 *
 * @param name without the prefix, such as {@code DATA_DIR}
 * @param defaultText parsed like any other text; empty means that the setting is absent
 */
public record Setting<T>(
    String name,
    Section section,
    ValueType<T> type,
    String defaultText,
    String example,
    String description,
    boolean secret) {
  static final String PREFIX = "POSTRIDER_";

  /** The sections of the settings reference, in its order. */
  public enum Section {
    SERVER("Server"),
    STORAGE("Storage"),
    SECURITY("Security"),
    ACCEPT("Accepting"),
    INBOUND("Inbound"),
    DELIVERY("Delivery"),
    BREAKER("Circuit breaker and auto-disable"),
    INSTANCE("Instances"),
    RETENTION("Retention"),
    LOG("Logs"),
    FILE("Configuration file");

    private final String title;

    Section(String title) {
      this.title = title;
    }

    public String title() {
      return title;
    }
  }

  static <T> Setting<T> row(
      String name,
      Section section,
      ValueType<T> type,
      String defaultText,
      String example,
      String description) {
    return new Setting<>(name, section, type, defaultText, example, description, false);
  }

  /** A secret has no default: a published default would not be secret. */
  static <T> Setting<Optional<T>> secretRow(
      String name,
      Section section,
      ValueType<Optional<T>> type,
      String example,
      String description) {
    return new Setting<>(name, section, type, "", example, description, true);
  }

  public String variable() {
    return PREFIX + name;
  }

  public String flag() {
    return "--" + name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Completes "must be …". */
  public String form() {
    return type.form();
  }

  /** Whether its flag may be used without a value. */
  public boolean isSwitch() {
    return defaultText.equals("true") || defaultText.equals("false");
  }

  T parse(String text) {
    try {
      return type.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(problem(text, String.valueOf(e.getMessage())));
    }
  }

  /** For the records: rejects a value that the text form would have rejected too. */
  void check(T value) {
    try {
      type.check().accept(value);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(problem(String.valueOf(value), String.valueOf(e.getMessage())));
    }
  }

  /** The error in the text, with an example; null if it is valid. */
  public @Nullable String refusal(String text) {
    try {
      type.parse(text);
      return null;
    } catch (IllegalArgumentException e) {
      return e.getMessage() + " Example: " + example;
    }
  }

  private String problem(String text, String reason) {
    String shown = secret ? "" : " is \"" + text + "\"";
    return "%s (%s)%s: %s Example: %s=%s"
        .formatted(variable(), flag(), shown, reason, variable(), example);
  }
}
