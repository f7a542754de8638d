package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every decision has a date and a status, and is in the table of decisions. */
class DecisionsTest {
  private static final Path FOLDER = MarkdownPage.root().resolve("docs/adr");

  @Test
  void everyDecisionHasADateAndAStatus() {
    assertThat(decisions())
        .hasSizeGreaterThan(14)
        .allSatisfy(
            page ->
                assertThat(page.lines().get(2).text())
                    .as("third line of %s", page.name())
                    .matches("Date: 20\\d\\d-\\d\\d-\\d\\d\\. Status: [a-z].*"));
  }

  @Test
  void theTableLinksToEveryDecision() {
    List<String> linked =
        MarkdownPage.read(FOLDER.resolve("README.md")).lines().stream()
            .flatMap(line -> MarkdownPage.relativeLinks(line).stream())
            .toList();
    assertThat(decisions())
        .allSatisfy(page -> assertThat(linked).contains(page.file().getFileName().toString()));
  }

  private static List<MarkdownPage> decisions() {
    return MarkdownPage.all().stream()
        .filter(page -> page.file().startsWith(FOLDER))
        .filter(page -> !page.file().endsWith("README.md"))
        .toList();
  }
}
