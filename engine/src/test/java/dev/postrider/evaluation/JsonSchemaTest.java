package dev.postrider.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.json.Json;
import dev.postrider.time.SystemTime;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Schemas and values that would keep a thread busy for long, and regular expressions. */
final class JsonSchemaTest {
  private static final String DRAFT_7 = "\"$schema\":\"http://json-schema.org/draft-07/schema#\"";

  /** With much time for an evaluation to get its share of a processor that is busy with tests. */
  private static final EvaluationLimits LIMITS =
      new EvaluationLimits(
          Duration.ofMillis(500),
          Duration.ofMinutes(1),
          EvaluationLimits.DEFAULT.memoryBytes(),
          EvaluationLimits.DEFAULT.threads(),
          EvaluationLimits.DEFAULT.patience());

  private final Evaluator evaluator = new Evaluator(LIMITS, new SystemTime());

  @AfterEach
  void close() {
    evaluator.close();
  }

  private JsonSchema schema(String text) {
    return JsonSchema.compile(Json.MAPPER.readTree(text), "owner", evaluator);
  }

  private boolean fits(String schema, JsonNode value) {
    return schema(schema).errors(value, "owner").isEmpty();
  }

  private static JsonNode text(String text) {
    return Json.MAPPER.valueToTree(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "^(.*,){11}P ,,,,,,,,,,,P true",
        "^[A-Z]{2,3}$ ABCD false",
        "^\\\\u00e9$ é true",
        "^\\\\p{L}+$ Größe true",
        "^(?<year>[0-9]{4})-(?:0[1-9]|1[0-2])$ 2026-11 true",
        "b abc true",
      })
  void patternsAreUnderstood(String pattern, String value, boolean fits) {
    assertThat(fits("{\"pattern\":\"" + pattern + "\"}", text(value))).isEqualTo(fits);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"pattern\":\"(?=a)\"}",
        "{\"patternProperties\":{\"(?!a)b\":{}}}",
        "{\"properties\":{\"x\":{\"items\":{\"pattern\":\"(a)\\\\1\"}}}}",
        "{\"$defs\":{\"x\":{\"pattern\":\"((a{100}){100}){100}\"}},\"$ref\":\"#/$defs/x\"}",
        "{\"pattern\":\"(\"}",
      })
  void aPatternThatIsNotSupportedIsNamed(String text) {
    assertThatThrownBy(() -> schema(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a usable JSON Schema: the regular expression \"");
  }

  @Test
  void aSchemaThatMultipliesIsEnded() {
    StringBuilder bomb = new StringBuilder("{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 40; i++) {
      String next = "{\"$ref\":\"#/$defs/d" + (i + 1) + "\"}";
      bomb.append("\"d%d\":{\"allOf\":[%s,%s]},".formatted(i, next, next));
    }
    JsonSchema compiled = schema(bomb.append("\"d40\":{\"type\":\"string\"}}}").toString());
    assertThatThrownBy(() -> compiled.errors(text("x"), "owner"))
        .isInstanceOf(BudgetExceeded.class)
        .hasMessageMatching(".*(more than 500 ms|64 MB).*");
    assertThat(evaluator.busyThreads()).isZero();
  }

  @Test
  void longTextsAndManyPatternsAreEnded() {
    JsonNode long1 = text("a".repeat(1_000_000));
    JsonSchema slow = schema("{\"pattern\":\"(a|b){1000}c\"}");
    assertThatThrownBy(() -> slow.errors(long1, "owner")).isInstanceOf(BudgetExceeded.class);
    assertThat(fits("{" + DRAFT_7 + ",\"format\":\"email\"}", text("@".repeat(900_000) + " ")))
        .isFalse();
    assertThat(fits("{" + DRAFT_7 + ",\"format\":\"email\"}", text("a@example.com"))).isTrue();
    assertThat(fits("{" + DRAFT_7 + ",\"format\":\"regex\"}", text("(?=a)"))).isFalse();
    assertThat(fits("{\"uniqueItems\":true}", Json.MAPPER.valueToTree(new int[200_000]))).isFalse();
  }

  /** Whatever the language of the machine is. */
  @Test
  void messagesAreEnglish() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMAN);
    try {
      assertThat(schema("{\"type\":\"integer\"}").errors(text("x"), "owner"))
          .singleElement()
          .extracting(error -> error.getMessage())
          .isEqualTo("string found, integer expected");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void aSchemaMayBeNested() {
    String deep = "{\"not\":".repeat(90) + "{}" + "}".repeat(90);
    assertThat(fits(deep, text("x"))).isTrue();
  }
}
