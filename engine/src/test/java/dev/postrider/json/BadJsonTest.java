package dev.postrider.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

class BadJsonTest {
  @Test
  void namesPlaceAndProblemWithoutLibraryInternals() {
    JacksonException fault =
        catchThrowableOfType(
            JacksonException.class, () -> JsonMapper.shared().readTree("{\"eventType\":\"x\""));

    assertThat(BadJson.of(fault))
        .hasMessageStartingWith("the body is not valid JSON at line 1, column")
        .hasMessageEndingWith("expected close marker for Object");
  }
}
