package dev.postrider.configfile;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a value. The checker, the JSON Schema and the reference are all derived from it.
 */
sealed interface FieldShape {

  /** Returns the problem of a text, with the fix; null if there is none. */
  @FunctionalInterface
  interface Rule {
    @Nullable String problem(String text);
  }

  /** Completes "must be …". */
  String form();

  /**
   * A text. Its value may also be read from another file: {@code { file: path }}.
   *
   * @param secret never shown
   */
  record Word(String form, Rule rule, boolean secret) implements FieldShape {}

  record Whole(int min, int max) implements FieldShape {
    @Override
    public String form() {
      return "a whole number from " + min + " to " + max;
    }
  }

  record Flag() implements FieldShape {
    @Override
    public String form() {
      return "true or false";
    }
  }

  record Choice(List<String> words) implements FieldShape {
    @Override
    public String form() {
      return "one of " + String.join(", ", words);
    }
  }

  /** A list. A single value without brackets counts as a list of one. */
  record ListOf(FieldShape item, int max) implements FieldShape {
    @Override
    public String form() {
      return "a list, each " + item.form();
    }
  }

  /** A table whose keys the user chooses. */
  record MapOf(Word name, FieldShape value, int max) implements FieldShape {
    @Override
    public String form() {
      return "a table of names, each with " + value.form();
    }
  }

  /** A table with a fixed set of keys. */
  record Keys(List<Key> keys) implements FieldShape {
    @Override
    public String form() {
      return "a table with " + String.join(", ", keys.stream().map(Key::name).toList());
    }

    public Keys {
      keys = List.copyOf(keys);
    }
  }

  /** A text or a table. */
  record Either(FieldShape scalar, FieldShape table) implements FieldShape {
    @Override
    public String form() {
      return scalar.form() + ", or " + table.form();
    }
  }

  /**
   * A table that may contain tables of the same schema.
   *
   * @param name what it is, such as {@code step}; also its name in the JSON Schema
   */
  record Recursive(String name, Supplier<Keys> keys) implements FieldShape {
    @Override
    public String form() {
      return "a table with the keys of a " + name;
    }
  }

  /** Any JSON value. */
  record Anything(String form) implements FieldShape {}

  /**
   * One key of a table.
   *
   * @param description a sentence
   * @param example an example value, as written in the file
   */
  record Key(String name, FieldShape shape, boolean required, String description, String example) {
    Key must() {
      return new Key(name, shape, true, description, example);
    }
  }

  static Key key(String name, FieldShape shape, String description, String example) {
    return new Key(name, shape, false, description, example);
  }
}
