package dev.postrider.bench.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReceivedRequestChecksTest {
  private static final long SECOND = 1_000_000_000L;

  private final Disruptions disruptions = new Disruptions();

  private static ReceivedRequest request(
      long number, int attempt, String process, int status, double at) {
    long nanos = (long) (at * SECOND);
    return new ReceivedRequest(
        "msg_" + number, "dlv_" + number, attempt, process, "e", number, status, nanos, nanos + 1);
  }

  private ReceivedRequestChecks checks(ReceivedRequest... requests) {
    return new ReceivedRequestChecks(List.of(requests), disruptions);
  }

  @Test
  void aSecondSuccessIsADuplicateAndNeedsAnExcuse() {
    ReceivedRequestChecks checks =
        checks(request(1, 1, "a-1", 200, 10), request(1, 2, "a-2", 200, 20));

    assertThat(checks.duplicates()).isOne();
    assertThat(checks.withoutExcuse()).hasSize(1);

    disruptions.add(Disruptions.Kind.KILL, "a-1", 11 * SECOND, 11 * SECOND);
    assertThat(checks.withoutExcuse()).isEmpty();
  }

  @Test
  void theKillOfAnotherProcessOrALongTimeAfterExcusesNothing() {
    ReceivedRequestChecks checks =
        checks(request(1, 1, "a-1", 200, 10), request(1, 2, "a-2", 200, 20));

    disruptions.add(Disruptions.Kind.KILL, "b-1", 11 * SECOND, 11 * SECOND);
    disruptions.add(Disruptions.Kind.KILL, "a-1", 16 * SECOND, 16 * SECOND);
    assertThat(checks.withoutExcuse()).hasSize(1);
  }

  @Test
  void threeSuccessesNeedTwoExcuses() {
    ReceivedRequestChecks checks =
        checks(
            request(1, 1, "a-1", 200, 10),
            request(1, 2, "a-2", 200, 20),
            request(1, 3, "a-3", 200, 30));

    disruptions.add(Disruptions.Kind.KILL, "a-1", 11 * SECOND, 11 * SECOND);
    assertThat(checks.withoutExcuse()).hasSize(1);
    disruptions.add(Disruptions.Kind.KILL, "a-2", 21 * SECOND, 21 * SECOND);
    assertThat(checks.withoutExcuse()).isEmpty();
    assertThat(checks.duplicates()).isEqualTo(2);
  }

  @Test
  void anOutageExcusesEveryProcess() {
    disruptions.add(Disruptions.Kind.OUTAGE, Disruptions.ALL, 8 * SECOND, 12 * SECOND);

    assertThat(checks(request(1, 1, "a-1", 200, 10), request(1, 2, "a-1", 200, 20)).withoutExcuse())
        .isEmpty();
  }

  @Test
  void aFailureBeforeASuccessIsNoDuplicate() {
    assertThat(checks(request(1, 1, "a-1", 500, 1), request(1, 2, "a-1", 200, 2)).duplicates())
        .isZero();
  }

  @Test
  void aKeyHasOneMessage() {
    assertThat(checks(request(1, 1, "a-1", 200, 1)).keysWithTwoMessages(Map.of(1L, "msg_1")))
        .isEmpty();
    assertThat(checks(request(1, 1, "a-1", 200, 1)).keysWithTwoMessages(Map.of(1L, "msg_9")))
        .singleElement()
        .asString()
        .contains("message-1");
  }

  @Test
  void anAttemptNumberBelongsToOneProcess() {
    assertThat(checks(request(1, 1, "a", 0, 1), request(1, 1, "a", 200, 2)).sharedLeases())
        .isEmpty();
    assertThat(checks(request(1, 1, "a", 0, 1), request(1, 1, "b", 200, 2)).sharedLeases())
        .hasSize(1);
  }

  @Test
  void aRecordedSuccessMustHaveBeenAnswered() {
    ReceivedRequestChecks checks = checks(request(1, 1, "a", 500, 1), request(1, 2, "a", 200, 2));

    assertThat(checks.invented(Set.of("dlv_1#2"))).isEmpty();
    assertThat(checks.invented(Set.of("dlv_1#1"))).containsExactly("dlv_1#1");
  }

  @Test
  void anOrderedEndpointSeesAMessageAfterTheSuccessOfTheOneBefore() {
    ReceivedRequestChecks kept =
        checks(
            request(1, 1, "a", 500, 1),
            request(1, 2, "a", 200, 2),
            request(4, 1, "a", 200, 3),
            request(1, 3, "b", 200, 4));
    assertThat(kept.outOfOrder("e", List.of(4L, 1L))).isEmpty();

    ReceivedRequestChecks broken =
        checks(
            request(1, 1, "a", 500, 1), request(4, 1, "a", 500, 1.5), request(1, 2, "a", 200, 2));
    assertThat(broken.outOfOrder("e", List.of(4L, 1L))).hasSize(1);
    assertThat(broken.outOfOrder("other", List.of(4L, 1L))).isEmpty();
  }
}
