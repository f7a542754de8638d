package dev.postrider.configfile;

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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Validates the tree of a file against its schema. The result is the tree with the contents of
 * secret files and without the invalid values, so that the rest can be validated further.
 */
final class Checker {
  static final long MAX_SECRET_FILE = 64 * 1024;

  private final @Nullable Path folder;
  private final FileProblems problems;

  /**
   * @param folder where the paths of secret files start; null if there are no files, as in a call
   */
  Checker(@Nullable Path folder, FileProblems problems) {
    this.folder = folder;
    this.problems = problems;
  }

  YamlValue.Table check(YamlValue.Table table, FieldShape.Keys shape) {
    return keys(table, shape, "");
  }

  /** Null if it is not valid, which has then been reported. */
  private @Nullable YamlValue check(YamlValue value, FieldShape shape, String key) {
    return switch (shape) {
      case FieldShape.Word word -> word(value, word, key);
      case FieldShape.Whole whole -> whole(value, whole, key);
      case FieldShape.Flag flag -> choice(value, List.of("true", "false"), flag, key);
      case FieldShape.Choice choice -> choice(value, choice.words(), choice, key);
      case FieldShape.ListOf list -> list(value, list, key);
      case FieldShape.MapOf map -> map(value, map, key);
      case FieldShape.Keys keys ->
          value instanceof YamlValue.Table table ? keys(table, keys, key) : wrong(value, key, keys);
      case FieldShape.Recursive(String _, Supplier<FieldShape.Keys> keys) ->
          value instanceof YamlValue.Table table
              ? keys(table, keys.get(), key)
              : wrong(value, key, shape);
      case FieldShape.Either(FieldShape scalar, FieldShape table) ->
          check(value, value instanceof YamlValue.Table ? table : scalar, key);
      case FieldShape.Anything _ -> value;
    };
  }

  private @Nullable YamlValue wrong(YamlValue value, String key, FieldShape shape) {
    problems.add(value.place(), key, "is %s; must be %s".formatted(value.kind(), shape.form()));
    return null;
  }

  private @Nullable YamlValue word(YamlValue value, FieldShape.Word word, String key) {
    YamlValue.Scalar scalar =
        switch (value) {
          case YamlValue.Scalar plain when !plain.isNothing() -> plain;
          case YamlValue.Table table when isFile(table) -> fromFile(table, key);
          default -> null;
        };
    if (scalar == null) {
      return value instanceof YamlValue.Table table && isFile(table)
          ? null
          : wrong(value, key, word);
    }
    String problem = word.rule().problem(scalar.text());
    if (problem != null) {
      problems.add(scalar.place(), key, problem);
      return null;
    }
    return scalar;
  }

  private static boolean isFile(YamlValue.Table table) {
    return table.entries().size() == 1 && table.find("file") instanceof YamlValue.Scalar;
  }

  private YamlValue.@Nullable Scalar fromFile(YamlValue.Table table, String key) {
    YamlValue.Scalar path = (YamlValue.Scalar) table.find("file");
    if (path == null || folder == null) {
      problems.add(
          table.place(),
          key,
          "refers to a file, which is not possible in an API request; send the content of the"
              + " file");
      return null;
    }
    try {
      Path file = folder.resolve(path.text());
      if (Files.size(file) > MAX_SECRET_FILE) {
        problems.add(
            path.place(),
            key,
            "the file %s has more than %d bytes; check the path".formatted(file, MAX_SECRET_FILE));
        return null;
      }
      // The newline at the end is the editor's.
      String text = Files.readString(file).replaceFirst("\\R$", "");
      return new YamlValue.Scalar(table.place(), text, YamlValue.Type.TEXT);
    } catch (CharacterCodingException e) {
      problems.add(path.place(), key, "the file " + path.text() + " is not UTF-8 text");
    } catch (IOException | InvalidPathException e) {
      problems.add(
          path.place(),
          key,
          "cannot read the file %s (%s); create it, or fix the path (relative to %s)"
              .formatted(path.text(), reason(e), folder.toAbsolutePath()));
    }
    return null;
  }

  private static String reason(Exception e) {
    return e instanceof NoSuchFileException ? "file not found" : e.getClass().getSimpleName();
  }

  private @Nullable YamlValue whole(YamlValue value, FieldShape.Whole whole, String key) {
    if (!(value instanceof YamlValue.Scalar scalar) || scalar.isNothing()) {
      return wrong(value, key, whole);
    }
    try {
      long number = Long.parseLong(scalar.text().strip());
      if (number >= whole.min() && number <= whole.max()) {
        return new YamlValue.Scalar(scalar.place(), Long.toString(number), YamlValue.Type.NUMBER);
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    problems.add(value.place(), key, "is %s; must be %s".formatted(scalar.text(), whole.form()));
    return null;
  }

  private @Nullable YamlValue choice(
      YamlValue value, List<String> words, FieldShape shape, String key) {
    if (!(value instanceof YamlValue.Scalar scalar)) {
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

  private @Nullable YamlValue list(YamlValue value, FieldShape.ListOf shape, String key) {
    if (!(value instanceof YamlValue.Items items)) {
      YamlValue one = check(value, shape.item(), key);
      return one == null ? null : new YamlValue.Items(value.place(), List.of(one));
    }
    if (items.values().size() > shape.max()) {
      problems.add(value.place(), key, "has more than " + shape.max() + " items; remove some");
      return null;
    }
    List<YamlValue> checked = new ArrayList<>();
    boolean nested =
        shape.item() instanceof FieldShape.Keys || shape.item() instanceof FieldShape.Recursive;
    boolean whole = true;
    for (int n = 0; n < items.values().size(); n++) {
      YamlValue one = check(items.values().get(n), shape.item(), key + "[" + n + "]");
      // What does not fit keeps its place, so that the others keep their numbers.
      checked.add(one == null ? items.values().get(n) : one);
      whole &= one != null;
    }
    // A list of tables is checked on; half a list of words is none.
    return whole || nested ? new YamlValue.Items(value.place(), checked) : null;
  }

  private @Nullable YamlValue map(YamlValue value, FieldShape.MapOf shape, String key) {
    if (value instanceof YamlValue.Scalar scalar && scalar.isNothing()) {
      return YamlValue.Table.empty(value.place());
    }
    if (!(value instanceof YamlValue.Table table)) {
      return wrong(value, key, shape);
    }
    if (table.entries().size() > shape.max()) {
      problems.add(value.place(), key, "has more than " + shape.max() + " entries; remove some");
      return null;
    }
    Map<String, YamlValue.Entry> checked = new LinkedHashMap<>();
    boolean nested = shape.value() instanceof FieldShape.Keys;
    boolean whole = true;
    for (Map.Entry<String, YamlValue.Entry> each : table.entries().entrySet()) {
      String name = each.getKey();
      String path = under(key, name);
      String problem = shape.name().rule().problem(name);
      if (problem != null) {
        problems.add(each.getValue().at(), path, "the name " + problem);
      }
      YamlValue one = check(orEmpty(each.getValue().value(), nested), shape.value(), path);
      if (one != null && (problem == null || nested)) {
        checked.put(name, new YamlValue.Entry(each.getValue().at(), one));
      } else {
        whole = false;
      }
    }
    return whole || nested ? new YamlValue.Table(value.place(), checked) : null;
  }

  /** {@code invoice.paid:} with nothing behind it is an entry with no choices. */
  private static YamlValue orEmpty(YamlValue value, boolean nested) {
    return nested && value instanceof YamlValue.Scalar scalar && scalar.isNothing()
        ? YamlValue.Table.empty(value.place())
        : value;
  }

  private YamlValue.Table keys(YamlValue.Table table, FieldShape.Keys shape, String key) {
    Map<String, FieldShape.Key> known = new LinkedHashMap<>();
    shape.keys().forEach(one -> known.put(one.name(), one));
    Map<String, YamlValue.Entry> checked = new LinkedHashMap<>();
    table
        .entries()
        .forEach(
            (name, entry) -> {
              FieldShape.Key one = known.get(name);
              if (one == null) {
                unknown(entry.at(), key, name, known.keySet());
                return;
              }
              YamlValue value = check(entry.value(), one.shape(), under(key, name));
              if (value != null) {
                checked.put(name, new YamlValue.Entry(entry.at(), value));
              }
            });
    for (FieldShape.Key one : shape.keys()) {
      if (one.required() && !table.entries().containsKey(one.name())) {
        problems.add(
            table.place(),
            key,
            "%s is required; add %s: %s".formatted(one.name(), one.name(), one.example()));
      }
    }
    return new YamlValue.Table(table.place(), checked);
  }

  private void unknown(FilePosition at, String key, String name, Set<String> known) {
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
