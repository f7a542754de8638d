package dev.postrider.configfile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${VAR}}, which must be set, and {@code ${VAR:-default}} in values by environment
 * variables. {@code $${VAR}} is not replaced. Keys are not changed.
 */
final class Variables {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\$\\{|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?:(:-)([^}]*))?}|\\$\\{[^}]*}?");

  private final Map<String, String> environment;
  private final FileProblems problems;
  private final @Nullable List<FileProblem> unset;

  /** A variable that is not set is a problem. */
  Variables(Map<String, String> environment, FileProblems problems) {
    this(environment, problems, null);
  }

  /**
   * @param unset gets the variables that are not set, and their values are not checked; null if
   *     they are problems
   */
  Variables(
      Map<String, String> environment, FileProblems problems, @Nullable List<FileProblem> unset) {
    this.environment = environment;
    this.problems = problems;
    this.unset = unset;
  }

  YamlValue.Table putInto(YamlValue.Table table) {
    return inTable(table, "");
  }

  private YamlValue in(YamlValue value, String key) {
    return switch (value) {
      case YamlValue.Scalar scalar ->
          scalar.text().contains("${") ? scalar.with(replace(scalar, key)) : scalar;
      case YamlValue.Items items -> {
        List<YamlValue> replaced = new ArrayList<>();
        for (YamlValue item : items.values()) {
          replaced.add(in(item, key + "[" + replaced.size() + "]"));
        }
        yield new YamlValue.Items(items.place(), replaced);
      }
      case YamlValue.Table table -> inTable(table, key);
    };
  }

  private YamlValue.Table inTable(YamlValue.Table table, String key) {
    Map<String, YamlValue.Entry> replaced = new LinkedHashMap<>();
    table
        .entries()
        .forEach(
            (name, entry) ->
                replaced.put(
                    name,
                    new YamlValue.Entry(
                        entry.at(), in(entry.value(), key.isEmpty() ? name : key + "." + name))));
    return new YamlValue.Table(table.place(), replaced);
  }

  private String replace(YamlValue.Scalar scalar, String key) {
    Matcher found = REFERENCE.matcher(scalar.text());
    StringBuilder text = new StringBuilder();
    while (found.find()) {
      found.appendReplacement(text, Matcher.quoteReplacement(one(found, scalar.place(), key)));
    }
    return found.appendTail(text).toString();
  }

  private String one(Matcher found, FilePosition place, String key) {
    if (found.group().equals("$${")) {
      return "${";
    }
    String name = found.group(1);
    if (name == null) {
      problems.add(
          place,
          key,
          "\"%s\" is not a variable; write ${NAME} or ${NAME:-default}, or $${ for a literal ${"
              .formatted(found.group()));
      return "";
    }
    String value = environment.getOrDefault(name, "");
    if (!value.isEmpty()) {
      return value;
    }
    if (found.group(2) != null) {
      return found.group(3);
    }
    String text =
        "the environment variable %1$s is not set; export %1$s, or write ${%1$s:-default}"
            .formatted(name);
    if (unset == null) {
      problems.add(place, key, text);
      return "";
    }
    unset.add(new FileProblem(place, key, text));
    problems.skip(place, key);
    return name; // a text that is not empty, so that only this value is unknown
  }
}
