package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class RunStatesPageTest {
  /** Tests run in the module's folder. */
  private static final Path PAGE = Path.of("..", "docs", "reference", "run-states.md");

  @Test
  void docsShowTheTables() throws IOException {
    if (Boolean.getBoolean("postrider.writeDocs")) {
      Files.writeString(PAGE, RunStatesPage.markdown());
    }
    assertThat(Files.readString(PAGE))
        .as(
            "docs/reference/run-states.md is out of date; regenerate it with"
                + " -Dpostrider.writeDocs=true")
        .isEqualTo(RunStatesPage.markdown());
  }

  @Test
  void drawsEveryTransition() {
    for (StepTransitions.Transition t : StepTransitions.table()) {
      assertThat(RunStatesPage.markdown())
          .contains(" --> " + t.to().text() + ": " + t.event().text() + "\n");
    }
    for (RunTransitions.Transition t : RunTransitions.table()) {
      assertThat(RunStatesPage.markdown())
          .contains(" --> " + t.to().text() + ": " + t.event().text() + "\n");
    }
  }
}
