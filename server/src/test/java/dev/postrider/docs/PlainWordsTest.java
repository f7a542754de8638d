package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents and the texts of the program use plain technical English ({@link PlainWords}). */
class PlainWordsTest {
  private static final Path EXCEPTIONS =
      MarkdownPage.root().resolve("server/src/test/resources/plain-words-exceptions.txt");

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
   * String literals of main sources, and the YAML and HTML files that the server shows. The files
   * in the list of exceptions, by name, still have to be rewritten; the list only gets shorter.
   */
  @Test
  void inTextsOfTheProgram() throws IOException {
    Map<String, List<String>> uses = new TreeMap<>();
    for (String module : new String[] {"engine", "server", "bench"}) {
      Path main = MarkdownPage.root().resolve(module).resolve("src/main");
      collect(main.resolve("java"), uses);
      collect(main.resolve("resources"), uses);
    }
    Set<String> exceptions =
        new TreeSet<>(
            Files.readAllLines(EXCEPTIONS).stream().filter(line -> !line.startsWith("#")).toList());
    Map<String, List<String>> unexpected = new TreeMap<>(uses);
    unexpected.keySet().removeAll(exceptions);
    assertThat(unexpected).as("files that use words of PlainWords").isEmpty();
    assertThat(uses.keySet())
        .as("files without such words: remove them from plain-words-exceptions.txt")
        .containsAll(exceptions);
  }

  private static void collect(Path folder, Map<String, List<String>> uses) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        List<String> found =
            texts(file).stream().flatMap(text -> PlainWords.uses(text).stream()).toList();
        if (!found.isEmpty()) {
          uses.put(file.getFileName().toString(), found);
        }
      }
    }
  }

  private static List<String> texts(Path file) {
    String name = file.getFileName().toString();
    try {
      if (name.endsWith(".java")) {
        return JavaLiterals.of(Files.readString(file));
      }
      return name.endsWith(".yaml") || name.endsWith(".html")
          ? List.of(Files.readString(file))
          : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
        "CET2 is no time zone"
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
        "behind a proxy"
      })
  void otherTextIsNot(String text) {
    assertThat(PlainWords.uses(text)).isEmpty();
  }

  @Test
  void literalsAreFoundAndCommentsAreNot() {
    assertThat(
            JavaLiterals.of(
                """
                // "anew"
                /* "told" */ char c = '"'; String s = "a\\"b" + x + "c" + "d";
                String t = \"""
                    d "e"
                    \""";
                """))
        .containsExactly("a\\\"b", "cd", "\n    d \"e\"\n    ");
  }
}
