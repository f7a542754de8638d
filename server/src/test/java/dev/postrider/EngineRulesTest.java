package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that {@code docs/internals/engine-rules.md} names for each rule exist. */
class EngineRulesTest {
  /** Tests run in the module's folder. */
  private static final Path ROOT = Path.of("..");

  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT|Contract))(?:#(\\w+))?`");

  @Test
  void namesOnlyTestsThatExist() throws IOException {
    List<MatchResult> named =
        NAMED.matcher(Files.readString(ROOT.resolve("docs/internals/engine-rules.md"))).results().toList();
    assertThat(named).as("tests named in the document").hasSizeGreaterThan(100);

    Map<String, String> sources = testSources();
    TreeSet<String> missing = new TreeSet<>();
    for (MatchResult name : named) {
      String source = sources.get(name.group(1));
      String method = name.group(2);
      if (source == null || (method != null && !source.contains("void " + method + "("))) {
        missing.add(name.group());
      }
    }
    assertThat(missing).as("named in docs/internals/engine-rules.md, but not found in any module").isEmpty();
  }

  /** The text of each file with tests, by its class. */
  private static Map<String, String> testSources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path module : modules()) {
      try (Stream<Path> files = Files.walk(module)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          sources.merge(name, Files.readString(file), String::concat);
        }
      }
    }
    return sources;
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT)) {
      return folders
          .map(folder -> folder.resolve("src/test/java"))
          .filter(Files::isDirectory)
          .toList();
    }
  }
}
