package dev.postrider.workflow.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ResultPath;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a step is tried again, which errors a catch takes, and what parameters a run has. */
final class RetryTest {
  private static Retry retry(int max, ErrorClass... errors) {
    return new Retry(max, Set.of(errors), Duration.ofSeconds(1), 2, Duration.ofSeconds(5));
  }

  private static @Nullable Duration delay(Retry retry, int retries, ErrorClass error) {
    return retry.delay(retries, error, 0.5);
  }

  @Test
  void theDelayGrowsUpToItsLimit() {
    Retry retry = retry(10, ErrorClass.ALL);
    assertThat(delay(retry, 0, ErrorClass.SERVER)).isEqualTo(Duration.ofSeconds(1));
    assertThat(delay(retry, 1, ErrorClass.SERVER)).isEqualTo(Duration.ofSeconds(2));
    assertThat(delay(retry, 2, ErrorClass.SERVER)).isEqualTo(Duration.ofSeconds(4));
    assertThat(delay(retry, 3, ErrorClass.SERVER)).isEqualTo(Duration.ofSeconds(5));
    assertThat(delay(retry, 9, ErrorClass.SERVER)).isEqualTo(Duration.ofSeconds(5));
    assertThat(retry.delay(0, ErrorClass.SERVER, 0)).isEqualTo(Duration.ofMillis(900));
    assertThat(retry.delay(0, ErrorClass.SERVER, 1)).isEqualTo(Duration.ofMillis(1100));
  }

  @Test
  void maxIsTheNumberOfRetries() {
    assertThat(delay(retry(2, ErrorClass.ALL), 1, ErrorClass.SERVER)).isNotNull();
    assertThat(delay(retry(2, ErrorClass.ALL), 2, ErrorClass.SERVER)).isNull();
    assertThat(delay(Retry.NONE, 0, ErrorClass.SERVER)).isNull();
  }

  @Test
  void allIsEveryErrorThatARepetitionCanChange() {
    Retry all = retry(1, ErrorClass.ALL);
    for (ErrorClass error : ErrorClass.values()) {
      boolean never =
          Set.of(ErrorClass.EXPRESSION, ErrorClass.REJECTED, ErrorClass.TOO_LARGE, ErrorClass.LIMIT)
              .contains(error);
      assertThat(delay(all, 0, error) == null).as(error.word()).isEqualTo(never);
    }
    Retry some = retry(1, ErrorClass.NETWORK);
    assertThat(delay(some, 0, ErrorClass.NETWORK)).isNotNull();
    assertThat(delay(some, 0, ErrorClass.SERVER)).isNull();
  }

  @Test
  void theFirstCatchThatTakesTheErrorCounts() {
    Catch named = new Catch(List.of("5xx", "sold_out"), 1);
    Catch all = new Catch(List.of("all"), 2);
    Common common =
        new Common(0, "a", null, null, ResultPath.WHOLE, null, false, List.of(named, all), null);
    assertThat(common.caught("sold_out")).isEqualTo(named);
    assertThat(common.caught("5xx")).isEqualTo(named);
    assertThat(common.caught("4xx")).isEqualTo(all);
    assertThat(named.takes("4xx")).isFalse();
  }

  @Test
  void parametersAreCheckedAndFilled() {
    Params params =
        new Params(
            List.of(
                new Params.Param("day", Params.Type.STRING, true, null, null),
                new Params.Param(
                    "limit", Params.Type.INTEGER, false, JsonValue.ofJson("10"), null)));
    assertThat(params.fill(JsonValue.ofJson("{\"day\":\"mon\",\"x\":1}")))
        .isEqualTo(
            new Params.Filled(
                JsonValue.ofJson("{\"day\":\"mon\",\"x\":1,\"limit\":10}"), List.of()));
    assertThat(params.fill(JsonValue.ofJson("{\"day\":7,\"limit\":1.5}")).problems())
        .containsExactly("day must be a string", "limit must be an integer");
    assertThat(params.fill(JsonValue.NULL).problems())
        .containsExactly("day is required; add it to the input");
    assertThat(params.fill(JsonValue.ofJson("[1]")).problems())
        .containsExactly("the input must be an object with the parameters of the workflow");
    assertThat(Params.NONE.fill(JsonValue.ofJson("[1]")).problems()).isEmpty();
  }
}
