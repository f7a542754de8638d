package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Links between the pages of the repository lead somewhere. */
class LinksTest {
  @Test
  void everyRelativeLinkAndAnchorResolves() {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (MarkdownPage page : MarkdownPage.all()) {
      for (MarkdownPage.Line line : page.lines()) {
        for (String target : MarkdownPage.relativeLinks(line)) {
          links++;
          if (!resolves(page, target)) {
            broken.add(page.at(line) + target);
          }
        }
      }
    }
    assertThat(broken).as("links to missing files or headings").isEmpty();
    assertThat(links).isGreaterThan(100);
  }

  private static boolean resolves(MarkdownPage page, String target) {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path file = path.isEmpty() ? page.file() : page.file().resolveSibling(path).normalize();
    if (!Files.exists(file)) {
      return false;
    }
    return hash < 0 || MarkdownPage.read(file).anchors().contains(target.substring(hash + 1));
  }

  @Test
  void theIndexLinksToEveryPage() {
    Path docs = MarkdownPage.root().resolve("docs");
    MarkdownPage index = MarkdownPage.read(docs.resolve("README.md"));
    Set<Path> linked = new TreeSet<>();
    for (MarkdownPage.Line line : index.lines()) {
      for (String target : MarkdownPage.relativeLinks(line)) {
        linked.add(index.file().resolveSibling(target.replaceFirst("#.*", "")).normalize());
      }
    }
    assertThat(MarkdownPage.all().stream().map(MarkdownPage::file))
        .filteredOn(file -> file.startsWith(docs) && !file.startsWith(docs.resolve("adr")))
        .filteredOn(file -> !file.equals(index.file()))
        .as("pages without a link in docs/README.md")
        .allMatch(linked::contains);
  }
}
