package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

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
  private static final Pattern COLUMN = Pattern.compile("  (\\w+) .*");
  private static final Pattern NO_COUNTERPART = Pattern.compile("not yet|not stored|none|-|—");

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

  private static void report(List<String> missing, boolean exists, String name) {
    if (!exists) {
      missing.add(name);
    }
  }

  private static MarkdownPage page(String system) {
    return MarkdownPage.read(
        MarkdownPage.root().resolve("docs/guides/coming-from").resolve(system + ".md"));
  }

  /** The rows of all tables with three columns, by the heading above them. */
  private static List<Row> rows(MarkdownPage page) {
    List<Row> rows = new ArrayList<>();
    String section = "";
    for (MarkdownPage.Line line : page.lines()) {
      if (line.text().startsWith("## ")) {
        section = line.text().substring(3);
      } else if (line.table()) {
        String[] cells = line.text().strip().split("\\|", -1);
        if (cells.length == 5 && cells[1].contains("`")) {
          rows.add(new Row(section, codes(cells[1]), cells[2].strip(), cells[3].strip()));
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
      Matcher column = COLUMN.matcher(line);
      if (start.lookingAt()) {
        table = start.group(1);
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
