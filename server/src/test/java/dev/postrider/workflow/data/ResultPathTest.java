package dev.postrider.workflow.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where results are put. */
final class ResultPathTest {
  private static ResultPath path(String text) {
    return Objects.requireNonNull(ResultPath.parse(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "$ | {\"a\":1} | [2] | [2]",
        "$.a | {\"b\":1} | 2 | {\"b\":1,\"a\":2}",
        "$.a | {\"a\":{\"x\":1},\"b\":1} | 2 | {\"a\":2,\"b\":1}",
        "$.a.b | {\"a\":{\"x\":1}} | {\"y\":null} | {\"a\":{\"x\":1,\"b\":{\"y\":null}}}",
        "$.a.b.c | {} | 1 | {\"a\":{\"b\":{\"c\":1}}}",
        "$.a.b | {\"a\":null} | 1 | {\"a\":{\"b\":1}}",
        "$.a | null | 1 | {\"a\":1}",
        "$.a | {\"n\":12345678901234567.25} | 1.10 | {\"n\":12345678901234567.25,\"a\":1.10}",
      })
  void putsTheResult(String path, String data, String result, String expected) {
    JsonValue before = JsonValue.ofJson(data);
    assertThat(path(path).put(before, JsonValue.ofJson(result)).json()).isEqualTo(expected);
    assertThat(before.tree())
        .as("the data is not changed")
        .isEqualTo(JsonValue.ofJson(data).tree());
  }

  @Test
  void nullDropsTheResult() {
    JsonValue data = JsonValue.ofJson("{\"a\":1}");
    assertThat(ResultPath.NONE.put(data, JsonValue.NULL)).isSameAs(data);
    assertThat(ResultPath.NONE).hasToString("null");
  }

  @Test
  void aMemberOfWhatIsNotAnObject() {
    assertThatThrownBy(() -> path("$.a.b").put(JsonValue.ofJson("{\"a\":7}"), JsonValue.NULL))
        .isInstanceOf(ResultPath.NotAnObject.class)
        .hasMessage(
            "result_path $.a.b needs an object at $.a, but the data has a number there; use another"
                + " path");
    assertThatThrownBy(() -> path("$.a").put(JsonValue.ofJson("[1]"), JsonValue.NULL))
        .hasMessageContaining("at $, but the data has an array there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "$a", "$.", "$..a", "$.a.", "$.1", "$.a b", "$[0]", "null"})
  void otherTextsAreNotPaths(String text) {
    assertThat(ResultPath.parse(text)).isNull();
  }
}
