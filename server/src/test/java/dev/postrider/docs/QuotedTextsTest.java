package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Log lines and error texts that the documents quote are those of the program. */
class QuotedTextsTest {
  private static final Set<String> QUOTING_COLUMNS =
      Set.of("line contains", "message contains", "`detail`", "`reason`");

  /** Messages of the JSONata library and of the JSON Schema validator. */
  private static final Set<String> TEXTS_OF_LIBRARIES =
      Set.of("line 1, column 17: Unexpected end of expression", "required property 'id' not found");

  private static final Pattern JSON_TEXT =
      Pattern.compile("\"(?:detail|message|msg)\": ?\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern ECHO_LINE = Pattern.compile("^(echo: .+)$");

  /** An ellipsis, alone or as the end of an example such as {@code msg_…}. */
  private static final Pattern LEFT_OUT = Pattern.compile("\\w*…");

  private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+ [^`]+)`");
  private static final Pattern LOG_LINE = Pattern.compile("log: `([^`]+)`");

  @Test
  void areInTheProgram() throws IOException {
    String literals = literals();
    Set<String> missing = new TreeSet<>();
    int quotes = 0;
    for (MarkdownPage page : MarkdownPage.all()) {
      for (String quote : quotes(page)) {
        quotes++;
        for (String part : LEFT_OUT.split(quote)) {
          if (!literals.contains(part.strip())) {
            missing.add(page.name() + ": " + quote);
          }
        }
      }
    }
    assertThat(missing).as("quoted in a document, and not in a string literal").isEmpty();
    assertThat(quotes).isGreaterThan(30);
  }

  private static List<String> quotes(MarkdownPage page) {
    List<String> quotes = new ArrayList<>();
    int column = -1;
    for (MarkdownPage.Line line : page.lines()) {
      addAll(quotes, LOG_LINE, line.text());
      if (line.code()) {
        addAll(quotes, JSON_TEXT, line.text());
        addAll(quotes, ECHO_LINE, line.text());
      }
      if (!line.table()) {
        column = -1;
        continue;
      }
      List<String> cells = Stream.of(line.text().split("\\|")).map(String::strip).toList();
      if (column >= 0 && column < cells.size()) {
        addAll(quotes, CODE_SPAN, cells.get(column));
      }
      column = column >= 0 ? column : quotingColumn(cells);
    }
    quotes.removeAll(TEXTS_OF_LIBRARIES);
    return quotes;
  }

  private static void addAll(List<String> quotes, Pattern pattern, String text) {
    Matcher quote = pattern.matcher(text);
    while (quote.find()) {
      quotes.add(quote.group(1));
    }
  }

  private static int quotingColumn(List<String> cells) {
    for (int i = 0; i < cells.size(); i++) {
      if (QUOTING_COLUMNS.contains(cells.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static String literals() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String module : new String[] {"engine", "server", "bench"}) {
      Path folder = MarkdownPage.root().resolve(module).resolve("src/main/java");
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          JavaTexts.literals(Files.readString(file)).forEach(text -> all.append(text).append('\n'));
        }
      }
    }
    return all.toString();
  }
}
