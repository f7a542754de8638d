package dev.postrider.configfile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value of the file, with its position. */
sealed interface YamlValue {
  FilePosition place();

  /** Completes "is …". */
  String kind();

  /** The type of a scalar, by the core schema of YAML or by JSON. */
  enum Type {
    TEXT,
    NUMBER,
    FLAG,
    NOTHING
  }

  /** A scalar as it was written. */
  record Scalar(FilePosition place, String text, Type type) implements YamlValue {
    @Override
    public String kind() {
      return switch (type) {
        case TEXT -> "text";
        case NUMBER -> "a number";
        case FLAG -> "true or false";
        case NOTHING -> "empty";
      };
    }

    boolean isNothing() {
      return type == Type.NOTHING;
    }

    Scalar with(String other) {
      return new Scalar(place, other, type);
    }
  }

  record Items(FilePosition place, List<YamlValue> values) implements YamlValue {
    public Items {
      values = List.copyOf(values);
    }

    @Override
    public String kind() {
      return "a list";
    }
  }

  /** A table; the keys are in the order of the file. */
  record Table(FilePosition place, Map<String, Entry> entries) implements YamlValue {
    public Table {
      entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    static Table empty(FilePosition place) {
      return new Table(place, Map.of());
    }

    @Override
    public String kind() {
      return "a table of keys";
    }

    @Nullable YamlValue find(String key) {
      Entry entry = entries.get(key);
      return entry == null ? null : entry.value();
    }
  }

  /**
   * A key and its value.
   *
   * @param at the position of the key
   */
  record Entry(FilePosition at, YamlValue value) {}
}
