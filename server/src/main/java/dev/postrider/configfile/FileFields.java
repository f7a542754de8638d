package dev.postrider.configfile;

import dev.postrider.config.Quantities;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads values from a table that the {@link Checker} has validated. */
record FileFields(String key, YamlValue.Table table) {

  static List<FileFields> entries(YamlValue.Table file, String section) {
    return file.find(section) instanceof YamlValue.Table table
        ? table.entries().entrySet().stream()
            .filter(each -> each.getValue().value() instanceof YamlValue.Table)
            .map(
                each ->
                    new FileFields(
                        section + "." + each.getKey(), (YamlValue.Table) each.getValue().value()))
            .toList()
        : List.of();
  }

  /** The tables of a list; each is named by its number. */
  static List<FileFields> items(YamlValue.Table file, String section) {
    if (!(file.find(section) instanceof YamlValue.Items items)) {
      return List.of();
    }
    List<YamlValue> values = items.values();
    return IntStream.range(0, values.size())
        .filter(n -> values.get(n) instanceof YamlValue.Table)
        .mapToObj(n -> new FileFields(section + "[" + n + "]", (YamlValue.Table) values.get(n)))
        .toList();
  }

  /** The last part of the key: what the user called it. */
  String name() {
    return key.substring(key.indexOf('.') + 1);
  }

  FilePosition place() {
    return table.place();
  }

  boolean has(String field) {
    return table.find(field) != null;
  }

  @Nullable String text(String field) {
    return table.find(field) instanceof YamlValue.Scalar scalar ? scalar.text() : null;
  }

  String text(String field, String byDefault) {
    String text = text(field);
    return text == null ? byDefault : text;
  }

  @Nullable Integer whole(String field) {
    String text = text(field);
    return text == null ? null : Integer.valueOf(text);
  }

  @Nullable Boolean flag(String field) {
    String text = text(field);
    return text == null ? null : Boolean.valueOf(text);
  }

  @Nullable Duration duration(String field) {
    String text = text(field);
    return text == null ? null : Quantities.parseDuration(text);
  }

  @Nullable Integer milliseconds(String field) {
    Duration duration = duration(field);
    return duration == null ? null : Math.toIntExact(duration.toMillis());
  }

  List<String> texts(String field) {
    return table.find(field) instanceof YamlValue.Items items
        ? items.values().stream()
            .filter(YamlValue.Scalar.class::isInstance)
            .map(item -> ((YamlValue.Scalar) item).text())
            .toList()
        : List.of();
  }

  Map<String, String> textsByName(String field) {
    Map<String, String> texts = new LinkedHashMap<>();
    if (table.find(field) instanceof YamlValue.Table inner) {
      inner
          .entries()
          .forEach(
              (name, entry) -> {
                if (entry.value() instanceof YamlValue.Scalar scalar) {
                  texts.put(name, scalar.text());
                }
              });
    }
    return texts;
  }

  /** The schedule's text as the server keeps it; null if there is none. */
  @Nullable String retry() {
    return has("retry") ? retry("retry") : null;
  }

  /** The text of a schedule that is written as one text or as a list. */
  String retry(String field) {
    String joined = String.join(",", texts(field));
    return joined.equals("none") ? "" : joined;
  }

  @Nullable FileFields inner(String field) {
    return table.find(field) instanceof YamlValue.Table inner
        ? new FileFields(Checker.under(key, field), inner)
        : null;
  }

  /** Where an item of a list stands. */
  FilePosition at(String field, int item) {
    return table.find(field) instanceof YamlValue.Items items && item < items.values().size()
        ? items.values().get(item).place()
        : at(field);
  }

  /** Where a name of a table stands. */
  FilePosition at(String field, String name) {
    YamlValue.Entry entry =
        table.find(field) instanceof YamlValue.Table inner ? inner.entries().get(name) : null;
    return entry == null ? at(field) : entry.at();
  }

  /** Where a field stands, or the whole entry if it is not there. */
  FilePosition at(String field) {
    YamlValue value = table.find(field);
    return value == null ? table.place() : value.place();
  }
}
