package dev.postrider.inbound.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.field.FieldJson;
import dev.postrider.field.FieldValues;
import dev.postrider.testkit.FieldSamples;
import org.junit.jupiter.api.Test;

final class SourceFieldsTest {
  @Test
  void everyDeclaredFieldIsStored() {
    FieldValues samples = FieldSamples.of(SourceFields.ALL);
    String stored = FieldJson.write(SourceFields.ALL, samples);
    assertThat(FieldJson.read(SourceFields.ALL, stored)).isEqualTo(samples);
  }

  @Test
  void fieldsOfANewerReleaseAreIgnored() {
    assertThat(FieldJson.read(SourceFields.ALL, "{\"name\":\"a\",\"novelty\":1,\"cron\":null}"))
        .isEqualTo(FieldValues.NONE.with(SourceFields.NAME, "a"));
  }
}
