package dev.postrider.workflow.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.field.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference page has every field, as it is declared. */
final class DefinitionReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "workflow-definitions.md");

  @Test
  void thePageIsCurrent() throws IOException {
    if (Boolean.getBoolean("postrider.writeDocs")) {
      Files.writeString(PAGE, DefinitionReference.markdown());
    }
    assertThat(Files.readString(PAGE))
        .as("write it again with -Dpostrider.writeDocs=true")
        .isEqualTo(DefinitionReference.markdown());
  }

  @Test
  void everyFieldIsInIt() {
    String page = DefinitionReference.markdown();
    for (Field<?> field : StepFields.ALL) {
      assertThat(page).contains("| `" + StepFields.inFile(field) + "` |");
      assertThat(StepRules.with(field)).as(field.name()).isNotEmpty();
    }
    for (Field<?> field : WorkflowFields.ALL.inFile()) {
      assertThat(page).contains("| `" + StepFields.inFile(field) + "` |");
    }
  }
}
