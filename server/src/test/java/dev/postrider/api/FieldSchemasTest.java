package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The OpenAPI document describes declared fields as they are declared. */
final class FieldSchemasTest {
  private static final String WRITE =
      "mvn -pl server test -Dtest=FieldSchemasTest -Dwire.snapshot=write";

  @Test
  void theComponentsFollowFromTheFields() throws IOException {
    // Tests run in the module's folder.
    Path file = Path.of("src", "main", "resources", "openapi", "fields.yaml");
    String generated = FieldSchemas.yaml(WRITE);
    if (Snapshot.isWriting()) {
      Files.writeString(file, generated);
    }
    assertThat(Files.readString(file)).as("write it again: %s", WRITE).isEqualTo(generated);
  }
}
