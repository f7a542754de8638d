package dev.postrider.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The status of each route for each credential: {@code ok} for 2xx and 3xx, otherwise the number.
 * The file has a column for each credential and a row for each route.
 */
final class StatusTable {
  private static final Path FILE = Path.of("src", "test", "resources", "status-by-role.txt");
  private static final String COLUMN = "# column ";
  private static final String WRITE =
      "mvn -pl server test -Dtest=CredentialsTest -Dwire.snapshot=write";

  private final List<String> credentials;

  /** By route, then by credential. */
  private final Map<String, Map<String, String>> rows;

  private StatusTable(List<String> credentials, Map<String, Map<String, String>> rows) {
    this.credentials = credentials;
    this.rows = rows;
  }

  static StatusTable read(List<String> credentials) {
    Map<String, Map<String, String>> rows = new TreeMap<>();
    List<String> columns = new ArrayList<>();
    for (String line : lines()) {
      if (line.startsWith(COLUMN)) {
        columns.add(line.substring(line.indexOf(": ") + 2));
      } else if (!line.startsWith("#")) {
        String[] cells = line.split(" +", columns.size() + 1);
        Map<String, String> row = new LinkedHashMap<>();
        for (int n = 0; n < columns.size(); n++) {
          row.put(columns.get(n), cells[n]);
        }
        rows.put(cells[columns.size()], row);
      }
    }
    return new StatusTable(credentials, rows);
  }

  private static List<String> lines() {
    try {
      return Files.exists(FILE) ? Files.readAllLines(FILE) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String cell(int status) {
    return status < 400 ? "ok" : Integer.toString(status);
  }

  /** All of one credential; the routes are those of the server. */
  void check(String credential, Map<String, String> seen) {
    if (Snapshot.isWriting()) {
      rows.keySet().retainAll(seen.keySet());
      seen.forEach(
          (route, status) ->
              rows.computeIfAbsent(route, _ -> new LinkedHashMap<>()).put(credential, status));
      write();
      return;
    }
    Map<String, String> expected = new TreeMap<>();
    rows.forEach(
        (route, row) -> expected.put(route, row.getOrDefault(credential, "not in the file")));
    assertThat(new TreeMap<>(seen))
        .as("statuses for %s; if they are intended, write them with %s", credential, WRITE)
        .containsExactlyEntriesOf(expected);
  }

  List<String> routes() {
    return List.copyOf(rows.keySet());
  }

  String status(String route, String credential) {
    return requireNonNull(requireNonNull(rows.get(route), route).get(credential), credential);
  }

  private void write() {
    List<String> lines = new ArrayList<>();
    lines.add("# Generated: " + WRITE);
    lines.add("# The status of each route for each credential: ok for 2xx and 3xx, or the number.");
    for (int n = 0; n < credentials.size(); n++) {
      lines.add(COLUMN + (n + 1) + ": " + credentials.get(n));
    }
    rows.forEach(
        (route, row) -> {
          StringBuilder line = new StringBuilder();
          credentials.forEach(one -> line.append("%-4s".formatted(row.getOrDefault(one, "?"))));
          lines.add(line + route);
        });
    try {
      Files.write(FILE, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
