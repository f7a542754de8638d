package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.EndpointFields;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.field.FieldSet;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.queue.QueueFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages for readers of another system map every name of its list (a test resource) to a name of
 * Postrider, or give a reason, and the names of Postrider exist.
 */
class ComingFromTest {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern CALL = Pattern.compile("(GET|POST|PUT|PATCH|DELETE) (/.*)");
  private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\w+)");
  private static final Pattern VIEW = Pattern.compile("CREATE VIEW (\\w+) AS");
  private static final Pattern SELECTED = Pattern.compile(" *SELECT ([\\w, ]+) FROM .*");
  private static final Pattern COLUMN = Pattern.compile("  (\\w+) .*");
  private static final Pattern NO_COUNTERPART = Pattern.compile("not yet|not stored|none|-|—");
  private static final Pattern OPTION_NOT_YET = Pattern.compile("`(--[a-z-]+)`: not yet");

  /** Fields that belong to what follows: {@code `filter`, `transform` of a handler}. */
  private static final Pattern FIELDS_OF =
      Pattern.compile("((?:`\\w+`(?:, | and ))*`\\w+`) of (?:a|an|the) ([\\w`. -]+)");

  private static final Pattern CAMEL = Pattern.compile("[a-z]+(?:[A-Z][a-z]+)+");
  private static final Pattern DELIVERY_HEADER = Pattern.compile("postrider-[a-z-]+");
  private static final Set<String> COMMAND_SECTIONS = Set.of("Commands", "Command options");

  private record Row(String section, List<String> names, String ours, String difference) {}

  @ParameterizedTest
  @ValueSource(strings = {"qhook", "webhook-engine", "webhook-dispatcher", "observatory"})
  void everyNameHasACounterpartOrAReason(String system) throws IOException {
    Map<String, Row> rows = new HashMap<>();
    for (Row row : rows(page(system))) {
      row.names().forEach(name -> rows.put(row.section() + ": " + name, row));
    }
    List<String> names = names(system);
    assertThat(names).hasSizeGreaterThan(20);
    List<String> problems = new ArrayList<>();
    for (String name : names) {
      Row row = rows.get(name);
      if (row == null) {
        problems.add(name + " has no row");
      } else if (row.ours().isEmpty()) {
        problems.add(name + " has no counterpart");
      } else if (NO_COUNTERPART.matcher(row.ours()).matches() && row.difference().isEmpty()) {
        problems.add(name + " has no counterpart and no reason");
      }
    }
    assertThat(problems).as("names of %s", system).isEmpty();
    assertThat(names).as("rows for names that are not in the list").containsAll(rows.keySet());
  }

  @ParameterizedTest
  @ValueSource(strings = {"qhook", "webhook-engine", "webhook-dispatcher", "observatory"})
  void everyNameOfPostriderExists(String system) throws IOException {
    Set<String> columns = columns();
    String routes = text("docs/reference/routes.md");
    String settings = text("docs/reference/configuration.md");
    String metrics = text("docs/reference/metrics.md");
    List<String> missing = new ArrayList<>();
    for (Row row : rows(page(system))) {
      for (String name : codes(row.ours() + " " + row.difference())) {
        Matcher call = CALL.matcher(name);
        if (row.section().equals("Columns") && name.matches("[a-z_]+\\.[a-z_]+")) {
          report(missing, columns.contains(name) || name.startsWith("limits."), name);
        } else if (name.startsWith("POSTRIDER_")) {
          report(missing, settings.contains("`" + name + "`"), name);
        } else if (name.startsWith("postrider_")) {
          report(missing, metrics.contains("`" + name.replaceFirst("\\{.*", "") + "`"), name);
        } else if (call.matches()) {
          String tableRow = "| " + call.group(1) + " | `" + call.group(2) + "` |";
          report(missing, routes.contains(tableRow), name);
        }
      }
    }
    assertThat(missing).as("names that Postrider does not have").isEmpty();
  }

  /** Names of fields are those of the API or of the configuration file, and of what they are in. */
  @ParameterizedTest
  @ValueSource(strings = {"qhook", "webhook-engine", "webhook-dispatcher", "observatory"})
  void everyFieldOfPostriderExists(String system) throws IOException {
    Map<String, Set<String>> fields = fields();
    String api = text("server/src/main/resources/openapi/openapi.yaml");
    String scheme = text("engine/src/main/java/dev/postrider/signature/SchemeJson.java");
    String headers = text("engine/src/main/java/dev/postrider/delivery/shape/SentHeaders.java");
    List<String> missing = new ArrayList<>();
    int seen = 0;
    for (Row row : rows(page(system))) {
      String text = row.ours() + " | " + row.difference();
      Matcher of = FIELDS_OF.matcher(text);
      while (of.find()) {
        Set<String> known = fieldsOf(of.group(2), fields);
        for (String name : known == null ? List.<String>of() : codes(of.group(1))) {
          seen++;
          report(missing, known.contains(name), name + " of " + of.group(2));
        }
      }
      for (String name : row.section().equals("Columns") ? List.<String>of() : codes(text)) {
        if (CAMEL.matcher(name).matches()) {
          seen++;
          boolean exists =
              api.contains(" " + name + ":")
                  || api.contains(" " + name + "\n")
                  || scheme.contains('"' + name + '"');
          report(missing, exists, name);
        } else if (DELIVERY_HEADER.matcher(name).matches() && !name.equals("postrider-alerts")) {
          seen++;
          report(missing, headers.contains("\"" + name + "\""), name);
        }
      }
    }
    assertThat(missing).as("fields that Postrider does not have").isEmpty();
    assertThat(seen).isGreaterThan(3);
  }

  private static @Nullable Set<String> fieldsOf(String owner, Map<String, Set<String>> fields) {
    return fields.entrySet().stream()
        .filter(entry -> owner.startsWith(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  /** By the word that the pages use. */
  private static Map<String, Set<String>> fields() {
    Set<String> endpoint = names(EndpointFields.ALL);
    Set<String> queue = names(QueueFields.ALL);
    queue.add("source");
    Set<String> source = names(SourceFields.ALL);
    source.add("timezone");
    return Map.of(
        "endpoint",
        endpoint,
        "handler",
        endpoint,
        "queue",
        queue,
        "event type",
        names(EventTypeFields.ALL),
        "source",
        source);
  }

  private static Set<String> names(FieldSet fields) {
    Set<String> names = new TreeSet<>();
    fields.forEach(
        field -> {
          names.add(field.name());
          if (field.fileName() != null) {
            names.add(field.fileName());
          }
        });
    return names;
  }

  /** Commands and options are those that the command line has, and no existing one is denied. */
  @Test
  void everyCommandOfPostriderExists() throws IOException {
    Set<String> known =
        Set.copyOf(
            text("server/src/test/resources/cli-snapshot.txt")
                .lines()
                .map(line -> line.replaceFirst(" (arity|default|required).*", ""))
                .map(line -> line.replaceFirst(" [A-Z]+$", ""))
                .toList());
    String reference = text("docs/reference/cli.md");
    List<String> problems = new ArrayList<>();
    int seen = 0;
    for (String system : List.of("qhook", "webhook-engine", "webhook-dispatcher", "observatory")) {
      for (Row row : rows(page(system))) {
        boolean commands = COMMAND_SECTIONS.contains(row.section());
        String command = "";
        for (String code : codes(row.ours() + " " + row.difference())) {
          boolean named = code.startsWith("postrider ");
          String[] words = (named ? code.substring(10) : code).split(" ");
          if (!named && (!commands || !words[0].matches("-?-?[a-z][a-z-]*"))) {
            continue;
          }
          command = words[0].startsWith("--") ? command : words[0];
          seen++;
          problems.addAll(unknown(command, words, known, reference));
        }
        if (commands) {
          problems.addAll(denied(row, command, known));
        }
      }
    }
    assertThat(problems).isEmpty();
    assertThat(seen).isGreaterThan(20);
  }

  private static List<String> unknown(
      String command, String[] words, Set<String> known, String reference) {
    String prefix = "postrider " + command;
    if (!known.contains(prefix + " command")) {
      return List.of(prefix + " is not a command");
    }
    List<String> problems = new ArrayList<>();
    for (String word : words) {
      if (word.startsWith("--")) {
        report(problems, known.contains(prefix + " option " + word), prefix + " " + word);
      } else if (!word.equals(command)) {
        report(problems, section(reference, command).contains(word), prefix + " " + word);
      }
    }
    return problems;
  }

  private static String section(String reference, String command) {
    String heading = "\n## " + command + "\n";
    int start = reference.indexOf(heading);
    int end = reference.indexOf("\n## ", start + 1);
    return start < 0 ? "" : reference.substring(start, end < 0 ? reference.length() : end);
  }

  /** A command or an option that exists, in a row that says that it does not. */
  private static List<String> denied(Row row, String command, Set<String> known) {
    List<String> problems = new ArrayList<>();
    if (row.ours().equals("not yet")) {
      for (String name : row.names()) {
        report(
            problems,
            !known.contains("postrider " + name.split(" ")[0] + " command"),
            name + " exists");
      }
    }
    Matcher option = OPTION_NOT_YET.matcher(row.ours() + " " + row.difference());
    while (option.find()) {
      String name = "postrider " + command + " option " + option.group(1);
      report(problems, !known.contains(name), name + " exists");
    }
    return problems;
  }

  private static void report(List<String> missing, boolean exists, String name) {
    if (!exists) {
      missing.add(name);
    }
  }

  private static MarkdownPage page(String system) {
    return MarkdownPage.read(
        MarkdownPage.root().resolve("docs/guides/coming-from").resolve(system + ".md"));
  }

  /**
   * The rows of all tables with two or three columns, by the heading above them. A table with two
   * has no column for a difference; it is in the second.
   */
  private static List<Row> rows(MarkdownPage page) {
    List<Row> rows = new ArrayList<>();
    String section = "";
    for (MarkdownPage.Line line : page.lines()) {
      if (line.text().startsWith("## ")) {
        section = line.text().substring(3);
      } else if (line.table()) {
        String[] cells = line.text().strip().split("\\|", -1);
        if ((cells.length == 4 || cells.length == 5) && cells[1].contains("`")) {
          String difference = cells.length == 5 ? cells[3].strip() : "";
          rows.add(new Row(section, codes(cells[1]), cells[2].strip(), difference));
        }
      }
    }
    return rows;
  }

  private static List<String> codes(String cell) {
    return CODE.matcher(cell).results().map(code -> code.group(1)).toList();
  }

  private static List<String> names(String system) throws IOException {
    String resource = "/coming-from/" + system + ".txt";
    try (var in = ComingFromTest.class.getResourceAsStream(resource)) {
      assertThat(in).as(resource).isNotNull();
      List<String> names = new ArrayList<>();
      String section = "";
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (line.startsWith("[")) {
          section = line.substring(1, line.length() - 1);
        } else {
          names.add(section + ": " + line);
        }
      }
      return names;
    }
  }

  private static Set<String> columns() throws IOException {
    Set<String> columns = new TreeSet<>(Set.of("schema_version.version"));
    columns.addAll(Set.of("schema_version.name", "schema_version.applied_at"));
    String table = "";
    for (String line :
        text("engine/src/main/resources/db/postgres/V001__schema.sql").lines().toList()) {
      Matcher start = TABLE.matcher(line);
      Matcher view = VIEW.matcher(line);
      Matcher selected = SELECTED.matcher(line);
      Matcher column = COLUMN.matcher(line);
      if (start.lookingAt()) {
        table = start.group(1);
      } else if (view.lookingAt()) {
        table = view.group(1);
      } else if (selected.matches()) {
        for (String name : selected.group(1).split(", *")) {
          columns.add(table + "." + name);
        }
      } else if (column.matches()) {
        columns.add(table + "." + column.group(1));
      }
    }
    return columns;
  }

  private static String text(String path) throws IOException {
    return Files.readString(MarkdownPage.root().resolve(Path.of(path)));
  }
}
