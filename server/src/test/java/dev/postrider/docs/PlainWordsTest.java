package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents, texts of the program and comments use plain technical English: {@link PlainWords}. */
class PlainWordsTest {
  @Test
  void inDocuments() {
    List<String> uses = new ArrayList<>();
    for (MarkdownPage page : MarkdownPage.all()) {
      for (MarkdownPage.Line line : page.lines()) {
        PlainWords.uses(line.prose()).forEach(use -> uses.add(page.at(line) + use));
      }
    }
    assertThat(uses).isEmpty();
  }

  /**
   * String literals of main sources, the YAML, HTML and JavaScript files that the server shows, the
   * launcher, the files of the packages and the examples.
   */
  @Test
  void inTextsOfTheProgram() throws IOException {
    Map<String, List<String>> uses = new TreeMap<>();
    for (String folder :
        List.of("engine/src/main", "server/src/main", "bench/src/main", "packaging", "examples")) {
      try (Stream<Path> files = Files.walk(MarkdownPage.root().resolve(folder))) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          collect(file, uses);
        }
      }
    }
    collect(MarkdownPage.root().resolve("postrider"), uses);
    assertThat(uses).as("files that use words of PlainWords").isEmpty();
  }

  /** Comments of main sources and of tests, in all modules. */
  @Test
  void inComments() throws IOException {
    Map<String, List<String>> uses = new TreeMap<>();
    int files = 0;
    for (String module : List.of("engine", "server", "bench", "e2e")) {
      try (Stream<Path> sources = Files.walk(MarkdownPage.root().resolve(module).resolve("src"))) {
        for (Path file : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
          files++;
          collect(file, JavaTexts.comments(Files.readString(file)), uses);
        }
      }
    }
    assertThat(files).isGreaterThan(1_000);
    assertThat(uses).as("comments that use words of PlainWords").isEmpty();
  }

  private static void collect(Path file, Map<String, List<String>> uses) throws IOException {
    collect(file, texts(file), uses);
  }

  private static void collect(Path file, List<String> texts, Map<String, List<String>> uses) {
    List<String> found = texts.stream().flatMap(text -> PlainWords.uses(text).stream()).toList();
    if (!found.isEmpty()) {
      uses.put(MarkdownPage.root().relativize(file).toString(), found);
    }
  }

  private static List<String> texts(Path file) throws IOException {
    String name = file.getFileName().toString();
    if (name.endsWith(".java")) {
      return JavaTexts.literals(Files.readString(file));
    }
    boolean shown = name.matches(".*\\.(yaml|html|js)") || !file.toString().contains("/src/main/");
    return shown ? List.of(Files.readString(file)) : List.of();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "begins anew",
        "Whoever asks",
        "is told once",
        "mend it",
        "the database is away",
        "gone for good",
        "behind the caller's back",
        "CET2 is no time zone",
        "the door of a source",
        "if somebody asks",
        "the server to torment",
        "its last words",
        "waits between tries"
      })
  void everyPhraseIsFound(String text) {
    assertThat(PlainWords.uses(text)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "there is no release yet",
        "is no longer used",
        "amended and recommended",
        "for goods",
        "behind a proxy",
        "tries again",
        "entries and retries"
      })
  void otherTextIsNot(String text) {
    assertThat(PlainWords.uses(text)).isEmpty();
  }

  @Test
  void literalsAndCommentsAreFound() {
    String source =
        """
        // One line, "quoted",
        // and the next.
        /* "told" */ char c = '"'; String s = "a\\"b" + x + "c" + "d"; // after
        String t = \"""
            d "e"
            \""";
        /**
         * Gone for
         * good.
         */
        """;
    assertThat(JavaTexts.literals(source)).containsExactly("a\\\"b", "cd", "\n    d \"e\"\n    ");
    assertThat(JavaTexts.comments(source))
        .containsExactly("One line, , and the next.", "", "after", "Gone for good.");
  }
}
