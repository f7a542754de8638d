package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.json.Json;
import dev.postrider.testkit.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference has the OpenAPI document, with the schemas that follow from declared fields. */
final class OpenApiDocumentTest {
  private static final String WRITE =
      "mvn -pl server -am test -Dtest=OpenApiDocumentTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dwire.snapshot=write";

  @Test
  void theReferenceIsCurrent() throws IOException {
    // Tests run in the folder of the module.
    Path file = Path.of("..", "docs", "reference", "openapi.json");
    String generated =
        Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(OpenApi.document()) + "\n";
    if (Snapshot.isWriting()) {
      Files.writeString(file, generated);
    }
    assertThat(Files.readString(file)).as("write it again: %s", WRITE).isEqualTo(generated);
  }
}
