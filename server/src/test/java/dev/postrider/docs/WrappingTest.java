package dev.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines of documents have at most 100 columns, except for tables, links and code. */
class WrappingTest {
  private static final int COLUMNS = 100;

  @Test
  void linesAreWrapped() {
    List<String> tooLong = new ArrayList<>();
    for (MarkdownPage page : MarkdownPage.all()) {
      for (MarkdownPage.Line line : page.lines()) {
        if (!line.table() && line.prose().length() > COLUMNS) {
          tooLong.add(page.at(line) + line.prose().length() + " columns");
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }
}
