package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * String literals and comments of the main sources use words that a reader can search for:
 * unavailable, again, permanently, "is not a …".
 */
class PlainCodeTest {
  /** Comments, text blocks, strings and characters, in the order in which Java reads them. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "/\\*[\\s\\S]*?\\*/|//[^\\n]*|\"\"\"[\\s\\S]*?\"\"\""
              + "|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"|'(?:\\\\[^'\\n]+|\\\\'|[^'\\\\\\n])'");

  /** Between the parts of a text: the asterisks of a comment, and the plus of a concatenation. */
  private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"|\\n\\s*(?:\\*|//) ?|\\s+");

  private static final List<Pattern> BANNED =
      Stream.of(
              "anew",
              "whoever",
              "told",
              "mend(?:s|ed|ing)?",
              "(?:is|are|was|were) away",
              "for good",
              "behind \\w+(?:'s)?(?: \\w+(?:'s)?)? backs?",
              "(?<!\\bthere )(?:is|are|was|were) no"
                  + " (?!longer\\b|more\\b|fewer\\b|less\\b|later\\b|other\\b)\\w+")
          .map(regex -> Pattern.compile("\\b" + regex + "\\b", Pattern.CASE_INSENSITIVE))
          .toList();

  @Test
  void mainSourcesUsePlainWords() throws IOException {
    List<String> uses = new ArrayList<>();
    int files = 0;
    for (String module : List.of("engine", "server")) {
      try (Stream<Path> sources = Files.walk(root().resolve(module).resolve("src/main/java"))) {
        for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
          files++;
          uses(Files.readString(source))
              .forEach(use -> uses.add(source.getFileName() + ": " + use));
        }
      }
    }
    assertThat(files).isGreaterThan(500);
    assertThat(uses).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** It begins anew. */",
        "// Whoever asks",
        "f(\"is told once\");",
        "f(\"mend \" + \"it\");",
        "f(\"the database is \"\n    + \"away\");",
        "/** Gone for\n * good. */",
        "// behind the caller's back",
        "f(\"\"\"\n  CET2 is no time zone\n  \"\"\");"
      })
  void everyPhraseIsFound(String source) {
    assertThat(uses(source)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "int told = anew(whoever);",
        "// there is no release yet, and it is no longer used",
        "f(\"amended and recommended\", '\"', \"behind a proxy\");"
      })
  void otherTextIsNotFound(String source) {
    assertThat(uses(source)).isEmpty();
  }

  private static List<String> uses(String source) {
    // A concatenation is one text, so the quotes and the plus between its parts are left out.
    String joined = source.replaceAll("(?<![\\\\\"])\"\\s*\\+\\s*\"(?!\")", "");
    List<String> found = new ArrayList<>();
    Matcher token = TOKEN.matcher(joined);
    while (token.find()) {
      String text = JOINT.matcher(token.group()).replaceAll(" ").replaceAll(" +", " ");
      for (Pattern banned : BANNED) {
        Matcher use = banned.matcher(text);
        while (use.find()) {
          found.add(use.group() + " in " + text);
        }
      }
    }
    return found;
  }

  /** The folder of the repository, from the folder of this module or from the root itself. */
  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.isDirectory(here.resolve("engine")) ? here : here.resolve("..").normalize();
  }
}
