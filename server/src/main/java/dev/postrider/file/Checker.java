package dev.postrider.file;

import dev.postrider.text.Nearest;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds a tree against its shape. What comes back is the tree with secret files read in and without
 * the values that do not fit, so that the rest can be checked on.
 */
final class Checker {
  static final long MAX_SECRET_FILE = 64 * 1024;

  private final @Nullable Path folder;
  private final Problems problems;

  /**
   * @param folder where the paths of secret files start; null if there are no files, as in a call
   */
  Checker(@Nullable Path folder, Problems problems) {
    this.folder = folder;
    this.problems = problems;
  }

  Value.Table check(Value.Table table, Shape.Keys shape) {
    return keys(table, shape, "");
  }

  /** Null if it does not fit, which has then been told. */
  private @Nullable Value check(Value value, Shape shape, String key) {
    return switch (shape) {
      case Shape.Word word -> word(value, word, key);
      case Shape.Whole whole -> whole(value, whole, key);
      case Shape.Flag flag -> choice(value, List.of("true", "false"), flag, key);
      case Shape.Choice choice -> choice(value, choice.words(), choice, key);
      case Shape.ListOf list -> list(value, list, key);
      case Shape.MapOf map -> map(value, map, key);
      case Shape.Keys keys ->
          value instanceof Value.Table table ? keys(table, keys, key) : wrong(value, key, keys);
      case Shape.Either(Shape scalar, Shape table) ->
          check(value, value instanceof Value.Table ? table : scalar, key);
      case Shape.Anything _ -> value;
    };
  }

  private @Nullable Value wrong(Value value, String key, Shape shape) {
    problems.add(value.place(), key, "is %s; must be %s".formatted(value.kind(), shape.form()));
    return null;
  }

  private @Nullable Value word(Value value, Shape.Word word, String key) {
    Value.Scalar scalar =
        switch (value) {
          case Value.Scalar plain when !plain.isNothing() -> plain;
          case Value.Table table when isFile(table) -> fromFile(table, key);
          default -> null;
        };
    if (scalar == null) {
      return value instanceof Value.Table table && isFile(table) ? null : wrong(value, key, word);
    }
    String problem = word.rule().problem(scalar.text());
    if (problem != null) {
      problems.add(scalar.place(), key, problem);
      return null;
    }
    return scalar;
  }

  private static boolean isFile(Value.Table table) {
    return table.entries().size() == 1 && table.find("file") instanceof Value.Scalar;
  }

  private Value.@Nullable Scalar fromFile(Value.Table table, String key) {
    Value.Scalar path = (Value.Scalar) table.find("file");
    if (path == null || folder == null) {
      problems.add(table.place(), key, "names a file, and a call has none; send its content");
      return null;
    }
    try {
      Path file = folder.resolve(path.text());
      if (Files.size(file) > MAX_SECRET_FILE) {
        problems.add(
            path.place(),
            key,
            "the file %s has more than %d bytes; is it the right one?"
                .formatted(file, MAX_SECRET_FILE));
        return null;
      }
      // The newline at the end is the editor's.
      String text = Files.readString(file).replaceFirst("\\R$", "");
      return new Value.Scalar(table.place(), text, Value.Type.TEXT);
    } catch (CharacterCodingException e) {
      problems.add(path.place(), key, "the file " + path.text() + " is not UTF-8 text");
    } catch (IOException | InvalidPathException e) {
      problems.add(
          path.place(),
          key,
          "cannot read the file %s (%s); make it, or mend the path, which starts at %s"
              .formatted(path.text(), reason(e), folder.toAbsolutePath()));
    }
    return null;
  }

  private static String reason(Exception e) {
    return e instanceof NoSuchFileException ? "there is none" : e.getClass().getSimpleName();
  }

  private @Nullable Value whole(Value value, Shape.Whole whole, String key) {
    if (!(value instanceof Value.Scalar scalar) || scalar.isNothing()) {
      return wrong(value, key, whole);
    }
    try {
      long number = Long.parseLong(scalar.text().strip());
      if (number >= whole.min() && number <= whole.max()) {
        return new Value.Scalar(scalar.place(), Long.toString(number), Value.Type.NUMBER);
      }
    } catch (NumberFormatException _) {
      // told below
    }
    problems.add(value.place(), key, "is %s; must be %s".formatted(scalar.text(), whole.form()));
    return null;
  }

  private @Nullable Value choice(Value value, List<String> words, Shape shape, String key) {
    if (!(value instanceof Value.Scalar scalar)) {
      return wrong(value, key, shape);
    }
    if (words.contains(scalar.text())) {
      return scalar;
    }
    String guess =
        Nearest.to(scalar.text(), words).map(near -> ". Did you mean " + near + "?").orElse("");
    problems.add(
        value.place(),
        key,
        "is \"%s\"; must be %s%s".formatted(scalar.text(), shape.form(), guess));
    return null;
  }

  private @Nullable Value list(Value value, Shape.ListOf shape, String key) {
    if (!(value instanceof Value.Items items)) {
      Value one = check(value, shape.item(), key);
      return one == null ? null : new Value.Items(value.place(), List.of(one));
    }
    if (items.values().size() > shape.max()) {
      problems.add(value.place(), key, "has more than " + shape.max() + " items; remove some");
      return null;
    }
    List<Value> checked = new ArrayList<>();
    boolean nested = shape.item() instanceof Shape.Keys;
    boolean whole = true;
    for (int n = 0; n < items.values().size(); n++) {
      Value one = check(items.values().get(n), shape.item(), key + "[" + n + "]");
      // What does not fit keeps its place, so that the others keep their numbers.
      checked.add(one == null ? items.values().get(n) : one);
      whole &= one != null;
    }
    // A list of tables is checked on; half a list of words is none.
    return whole || nested ? new Value.Items(value.place(), checked) : null;
  }

  private @Nullable Value map(Value value, Shape.MapOf shape, String key) {
    if (value instanceof Value.Scalar scalar && scalar.isNothing()) {
      return Value.Table.empty(value.place());
    }
    if (!(value instanceof Value.Table table)) {
      return wrong(value, key, shape);
    }
    if (table.entries().size() > shape.max()) {
      problems.add(value.place(), key, "has more than " + shape.max() + " entries; remove some");
      return null;
    }
    Map<String, Value.Entry> checked = new LinkedHashMap<>();
    boolean nested = shape.value() instanceof Shape.Keys;
    boolean whole = true;
    for (Map.Entry<String, Value.Entry> each : table.entries().entrySet()) {
      String name = each.getKey();
      String path = under(key, name);
      String problem = shape.name().rule().problem(name);
      if (problem != null) {
        problems.add(each.getValue().at(), path, "the name " + problem);
      }
      Value one = check(orEmpty(each.getValue().value(), nested), shape.value(), path);
      if (one != null && (problem == null || nested)) {
        checked.put(name, new Value.Entry(each.getValue().at(), one));
      } else {
        whole = false;
      }
    }
    return whole || nested ? new Value.Table(value.place(), checked) : null;
  }

  /** {@code invoice.paid:} with nothing behind it is an entry with no choices. */
  private static Value orEmpty(Value value, boolean nested) {
    return nested && value instanceof Value.Scalar scalar && scalar.isNothing()
        ? Value.Table.empty(value.place())
        : value;
  }

  private Value.Table keys(Value.Table table, Shape.Keys shape, String key) {
    Map<String, Shape.Key> known = new LinkedHashMap<>();
    shape.keys().forEach(one -> known.put(one.name(), one));
    Map<String, Value.Entry> checked = new LinkedHashMap<>();
    table
        .entries()
        .forEach(
            (name, entry) -> {
              Shape.Key one = known.get(name);
              if (one == null) {
                unknown(entry.at(), key, name, known.keySet());
                return;
              }
              Value value = check(entry.value(), one.shape(), under(key, name));
              if (value != null) {
                checked.put(name, new Value.Entry(entry.at(), value));
              }
            });
    for (Shape.Key one : shape.keys()) {
      if (one.required() && !table.entries().containsKey(one.name())) {
        problems.add(
            table.place(),
            key,
            "lacks %s; add %s: %s".formatted(one.name(), one.name(), one.example()));
      }
    }
    return new Value.Table(table.place(), checked);
  }

  private void unknown(Place at, String key, String name, Set<String> known) {
    // Where anchors live, and what other programs read.
    if (key.isEmpty() && name.startsWith("x-")) {
      return;
    }
    problems.add(at, under(key, name), Nearest.unknownField(name, known));
  }

  static String under(String key, String name) {
    return key.isEmpty() ? name : key + "." + name;
  }
}
