package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The classes, methods and tests that docs/internals/engine-rules.md names exist. */
class EngineRulesTest {
  private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+)`");
  private static final Pattern MEMBER =
      Pattern.compile("(?:\\w+\\.)*([A-Z]\\w+)#(\\w+)|(\\w+(?:Test|IT))");
  private static final Pattern PARENT = Pattern.compile("\\bextends (\\w+)");

  private final Map<String, String> sources = sources();

  @Test
  void everyNamedMemberExists() {
    Set<String> missing = new TreeSet<>();
    int members = 0;
    for (MarkdownPage.Line line : rules().lines()) {
      Matcher span = CODE_SPAN.matcher(line.text());
      while (span.find()) {
        Matcher member = MEMBER.matcher(span.group(1));
        if (member.matches()) {
          members++;
          boolean found =
              member.group(3) == null
                  ? declares(member.group(1), member.group(2))
                  : sources.containsKey(member.group(3));
          if (!found) {
            missing.add(member.group());
          }
        }
      }
    }
    assertThat(missing)
        .as("named in docs/internals/engine-rules.md, and not in the code")
        .isEmpty();
    assertThat(members).isGreaterThan(200);
  }

  private boolean declares(String type, String member) {
    @Nullable String source = sources.get(type);
    if (source == null) {
      return false;
    }
    if (Pattern.compile("[\\w>\\]] " + member + "\\b *[(=]").matcher(source).find()) {
      return true;
    }
    Matcher parent = PARENT.matcher(source);
    return parent.find() && declares(parent.group(1), member);
  }

  private static MarkdownPage rules() {
    return MarkdownPage.read(MarkdownPage.root().resolve("docs/internals/engine-rules.md"));
  }

  /** The text of the Java files of all modules, by the name of the class, which two may share. */
  private static Map<String, String> sources() {
    Map<String, String> sources = new HashMap<>();
    for (String module : new String[] {"engine", "server", "bench", "e2e"}) {
      Path folder = MarkdownPage.root().resolve(module).resolve("src");
      if (Files.exists(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          files
              .filter(file -> file.toString().endsWith(".java"))
              .forEach(file -> sources.merge(name(file), read(file), String::concat));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return sources;
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
