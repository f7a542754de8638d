package dev.postrider.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigTest {
  @Test
  void aFlagWinsOverItsVariableAndTheVariableOverTheDefault() {
    assertThat(Config.defaults().server().port()).isEqualTo(8080);
    assertThat(Config.of(Map.of("POSTRIDER_PORT", "1")).server().port()).isEqualTo(1);
    assertThat(Config.of(Map.of("POSTRIDER_PORT", "1"), Map.of("--port", "2")).server().port())
        .isEqualTo(2);
  }
}
