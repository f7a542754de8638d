package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TransitionsDiagramTest {
  /** Tests run in the module's folder. */
  private static final Path PAGE = Path.of("..", "docs", "reference", "delivery-states.md");

  @Test
  void docsShowTheTable() throws IOException {
    if (Boolean.getBoolean("postrider.writeDocs")) {
      Files.writeString(PAGE, TransitionsDiagram.markdown());
    }
    assertThat(Files.readString(PAGE))
        .as(
            "docs/reference/delivery-states.md is out of date; regenerate it with -Dpostrider.writeDocs=true")
        .isEqualTo(TransitionsDiagram.markdown());
  }

  @Test
  void drawsEveryTransition() {
    for (Transitions.Transition t : Transitions.table()) {
      assertThat(TransitionsDiagram.markdown())
          .contains(
              "  " + t.from().text() + " --> " + t.to().text() + ": " + t.event().text() + "\n");
    }
  }
}
