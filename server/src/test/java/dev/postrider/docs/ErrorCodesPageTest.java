package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The error codes of the wire snapshot are documented, each with its status. */
class ErrorCodesPageTest {
  private static final Pattern SNAPSHOT_LINE = Pattern.compile(".* (\\d{3}) code (.+)");
  private static final Pattern TABLE_ROW = Pattern.compile("\\| ([\\d, ]+) \\| (.+?) \\|.*");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  @Test
  void everyCodeOfTheSnapshotIsListed() throws Exception {
    Set<String> missing = snapshot();
    missing.removeAll(page());
    assertThat(missing).as("codes that docs/reference/error-codes.md does not list").isEmpty();
  }

  private static Set<String> snapshot() throws Exception {
    Set<String> codes = new TreeSet<>();
    Path file = MarkdownPage.root().resolve("server/src/test/resources/wire-snapshot.txt");
    for (String line : Files.readAllLines(file)) {
      Matcher code = SNAPSHOT_LINE.matcher(line);
      if (code.matches()) {
        codes.add(code.group(1) + " " + code.group(2));
      }
    }
    assertThat(codes).hasSizeGreaterThan(15);
    return codes;
  }

  /** The rows of the tables that begin with a status: the codes of the API and of sources. */
  private static Set<String> page() {
    Set<String> codes = new TreeSet<>();
    Path file = MarkdownPage.root().resolve("docs/reference/error-codes.md");
    for (MarkdownPage.Line line : MarkdownPage.read(file).lines()) {
      Matcher row = TABLE_ROW.matcher(line.text());
      if (row.matches()) {
        for (String status : row.group(1).split(", *")) {
          Matcher code = CODE.matcher(row.group(2));
          while (code.find()) {
            codes.add(status.strip() + " " + code.group(1));
          }
        }
      }
    }
    return codes;
  }
}
