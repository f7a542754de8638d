package dev.postrider.configfile.plan;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One difference between a configuration file and the server.
 *
 * @param name such as {@code acme} or {@code github/build}
 * @param fields the fields that differ; empty if the whole object is created or deleted
 */
public record Change(Action action, Kind kind, String name, List<Field> fields) {

  /** What applying the file does to the object, such as create or delete. */
  public enum Action {
    CREATE("+"),
    UPDATE("~"),
    /** Takes over an object that was not created from this file. */
    ADOPT("!"),
    DELETE("-"),
    /** Stays, but is no longer the file's. */
    RELEASE("o");

    private final String sign;

    Action(String sign) {
      this.sign = sign;
    }

    public String sign() {
      return sign;
    }

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One field that differs.
   *
   * @param before null if it was not set
   * @param after null if it will not be set
   */
  public record Field(String name, @Nullable String before, @Nullable String after) {}

  public Change {
    fields = List.copyOf(fields);
  }

  static Change whole(Action action, Kind kind, String name) {
    return new Change(action, kind, name, List.of());
  }
}
