package dev.postrider.delivery.policy;

import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.Outcome.Tried;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import dev.postrider.testkit.builder.LeaseBuilder;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {
  private static final long T = 1_000_000;
  private static final Id ID = new Id(1, 1);
  private static final RetryPolicy RETRY = RetryPolicy.parse("10s,60s");
  private static final BreakerOptions BREAKER = BreakerOptions.defaults();
  private static final LaneState OPEN =
      new LaneState(Circuit.OPEN, 5, T - 50_000, T - 1, 1, null, 0, 0, 0);
  private static final LaneState PROBING = Breaker.onProbeClaimed(OPEN, ID);

  @ParameterizedTest
  @CsvSource({
    "200,SUCCESS", "204,SUCCESS", "299,SUCCESS", "301,REJECTED", "400,REJECTED", "404,REJECTED",
        "410,GONE",
    "429,SLOW_DOWN", "500,RETRYABLE", "502,OVERLOADED", "503,RETRYABLE", "504,OVERLOADED",
        "600,RETRYABLE", "199,RETRYABLE"
  })
  void statusesHaveAMeaning(int status, Meaning meaning) {
    assertThat(Meaning.ofStatus(status)).isEqualTo(meaning);
  }

  @Test
  void successDelivers() {
    Verdict verdict = after(Meaning.SUCCESS, 0, LaneState.FRESH);
    assertThat(verdict).isEqualTo(Verdict.DELIVERED);
    assertThat(verdict.status()).isEqualTo(DeliveryStatus.DELIVERED);
    assertThat(verdict.lane()).as("nothing to write").isSameAs(LaneState.FRESH);
    assertThat(after(Meaning.SUCCESS, 0, PROBING).lane()).isEqualTo(LaneState.FRESH);
    assertThat(after(Meaning.SUCCESS, 0, LaneState.FRESH.withPace(0, 4)).lane().reducedCap())
        .isEqualTo(5);
  }

  @ParameterizedTest
  @EnumSource(names = {"RETRYABLE", "REJECTED", "BLOCKED", "OUR_FAULT", "SLOW_DOWN", "OVERLOADED"})
  void failuresFollowTheScheduleToItsEnd(Meaning meaning) {
    isRetry(after(meaning, 0, LaneState.FRESH), T + 10_000);
    isRetry(after(meaning, 1, LaneState.FRESH), T + 60_000);
    Verdict last = after(meaning, 2, LaneState.FRESH);
    isEnd(last, DeliveryStatus.DEAD_LETTER, EndReason.EXHAUSTED);
    assertThat(last.disableEndpoint()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"RETRYABLE", "REJECTED", "BLOCKED", "OUR_FAULT", "SLOW_DOWN", "OVERLOADED"})
  void aResendIsNeverRescheduled(Meaning meaning) {
    Tried resend = tried(aLease().manual(), meaning, null);
    isEnd(
        Verdict.of(resend, null, BREAKER, LaneState.FRESH, T, 0.5),
        DeliveryStatus.DEAD_LETTER,
        EndReason.RESEND_FAILED);
  }

  @ParameterizedTest
  @EnumSource
  void aCanceledDeliveryEndsUnlessTheAttemptSucceeded(Meaning meaning) {
    Verdict verdict =
        Verdict.of(
            tried(aLease(), meaning, null), EndReason.CANCEL_REQUESTED, BREAKER, PROBING, T, 0.5);
    if (meaning == Meaning.SUCCESS) {
      isEnd(verdict, DeliveryStatus.DELIVERED, null);
    } else {
      isEnd(verdict, DeliveryStatus.CANCELED, EndReason.CANCEL_REQUESTED);
    }
    assertThat(verdict.lane())
        .as("the lane learns from the attempt all the same")
        .isEqualTo(after(meaning, 0, PROBING).lane());
    assertThat(verdict.disableEndpoint()).isEqualTo(meaning == Meaning.GONE);
  }

  @Test
  void goneDisablesTheEndpoint() {
    Verdict verdict = after(Meaning.GONE, 0, PROBING);
    isEnd(verdict, DeliveryStatus.DEAD_LETTER, EndReason.ENDPOINT_GONE);
    assertThat(verdict.disableEndpoint()).isTrue();
    assertThat(verdict.lane().probe()).isNull();
  }

  @Test
  void theRetryTimeIsTheLatestOfScheduleRetryAfterAndLane() {
    assertThat(retryAt(Meaning.RETRYABLE, null, LaneState.FRESH)).isEqualTo(T + 10_000);
    assertThat(retryAt(Meaning.REJECTED, Duration.ofSeconds(3), LaneState.FRESH))
        .isEqualTo(T + 10_000);
    assertThat(retryAt(Meaning.RETRYABLE, Duration.ofSeconds(90), LaneState.FRESH))
        .isEqualTo(T + 90_000);
    assertThat(retryAt(Meaning.SLOW_DOWN, Duration.ofDays(5), LaneState.FRESH))
        .isEqualTo(T + 86_400_000);
    LaneState open = OPEN.withCircuit(Circuit.OPEN, T + 45_000, 3, null);
    assertThat(retryAt(Meaning.RETRYABLE, null, open)).isEqualTo(T + 45_000);
    assertThat(retryAt(Meaning.RETRYABLE, null, LaneState.FRESH.withPace(T + 30_000, 1)))
        .isEqualTo(T + 30_000);
    assertThat(retryAt(Meaning.RETRYABLE, null, PROBING))
        .as("the probe reopens for 20 s")
        .isEqualTo(T + 20_000);
  }

  @ParameterizedTest
  @CsvSource({
    "RETRYABLE,1,false",
    "OVERLOADED,1,true",
    "SLOW_DOWN,0,true",
    "REJECTED,0,false",
    "BLOCKED,0,false",
    "OUR_FAULT,0,false"
  })
  void countsForTheBreakerAndSlowsDown(Meaning meaning, int counted, boolean slowed) {
    LaneState lane = after(meaning, 0, LaneState.FRESH).lane();
    assertThat(lane.consecutiveFailures()).isEqualTo(counted);
    assertThat(lane.reducedCap()).isEqualTo(slowed ? 4 : 0);
    assertThat(lane.slowUntilMs()).isEqualTo(slowed ? T + 5000 : 0);
  }

  @Test
  void rejectionsMayCountForTheBreaker() {
    BreakerOptions counting =
        new BreakerOptions(
            1,
            Duration.ZERO,
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            1,
            true,
            Optional.empty());
    LaneState lane =
        Verdict.of(tried(aLease(), Meaning.REJECTED, null), null, counting, LaneState.FRESH, T, 0.5)
            .lane();
    assertThat(lane.circuit()).isEqualTo(Circuit.OPEN);
  }

  @ParameterizedTest
  @CsvSource({"SLOW_DOWN,3", "BLOCKED,3", "OUR_FAULT,3", "REJECTED,0", "SUCCESS,0", "RETRYABLE,4"})
  void onlyAnswersEndARunOfFailures(Meaning meaning, int failuresAfter) {
    LaneState run = LaneState.FRESH.withRun(3, T - 1000);
    assertThat(after(meaning, 0, run).lane().consecutiveFailures()).isEqualTo(failuresAfter);
  }

  /**
   * Whatever the probe finds, it is no longer the lane's probe afterwards: a lane can never stay
   * half-open.
   */
  @ParameterizedTest
  @EnumSource(Meaning.class)
  void everyFindingClearsTheProbe(Meaning meaning) {
    LaneState lane = after(meaning, 0, PROBING).lane();
    assertThat(lane.probe()).isNull();
    assertThat(lane.circuit()).isNotEqualTo(Circuit.HALF_OPEN);
  }

  @ParameterizedTest
  @EnumSource(names = {"RETRYABLE", "SLOW_DOWN", "OVERLOADED", "BLOCKED", "OUR_FAULT"})
  void aLateResultDoesNotChangeTheProbe(Meaning meaning) {
    LaneState probing = Breaker.onProbeClaimed(OPEN, new Id(7, 7));
    LaneState lane = after(meaning, 0, probing).lane();
    assertThat(lane.circuit()).isEqualTo(Circuit.HALF_OPEN);
    assertThat(lane.probe()).isEqualTo(new Id(7, 7));
  }

  @Test
  void afterASlowDownOfAProbeTheNextProbeFollowsThePause() {
    LaneState lane = after(Meaning.SLOW_DOWN, 0, PROBING).lane();
    assertThat(Breaker.gate(lane, T)).isEqualTo(new Gate.Parked(T + 5000));
    assertThat(Breaker.gate(lane, T + 5000)).isEqualTo(Gate.PROBE);
  }

  /** The status follows from the event by the transition table; here it is written out. */
  @Test
  void verdictsFitTheTransitionTable() {
    for (Meaning meaning : Meaning.values()) {
      for (int failedBefore = 0; failedBefore < 3; failedBefore++) {
        Verdict verdict = after(meaning, failedBefore, LaneState.FRESH);
        assertThat(verdict.status())
            .isEqualTo(
                switch (verdict.event()) {
                  case SUCCEED -> DeliveryStatus.DELIVERED;
                  case FAIL_RETRY -> DeliveryStatus.FAILED;
                  case EXHAUST -> DeliveryStatus.DEAD_LETTER;
                  default -> throw new AssertionError(verdict.event());
                });
      }
    }
  }

  private static void isRetry(Verdict verdict, long atMs) {
    assertThat(verdict.event()).isEqualTo(DeliveryEvent.FAIL_RETRY);
    assertThat(verdict.status()).isEqualTo(DeliveryStatus.FAILED);
    assertThat(verdict.nextAttemptAtMs()).isEqualTo(atMs);
    assertThat(verdict.reason()).isNull();
  }

  private static void isEnd(Verdict verdict, DeliveryStatus status, @Nullable EndReason reason) {
    assertThat(verdict.status()).isEqualTo(status);
    assertThat(verdict.nextAttemptAtMs()).isNull();
    assertThat(verdict.reason()).isEqualTo(reason);
  }

  private static Tried tried(LeaseBuilder lease, Meaning meaning, @Nullable Duration retryAfter) {
    return new Tried(
        lease.delivery(ID).build(), meaning, anAttempt().build(), retryAfter, RETRY, 8);
  }

  private static Verdict after(Meaning meaning, int failedBefore, LaneState lane) {
    Tried tried = tried(aLease().failedBefore(failedBefore), meaning, null);
    return Verdict.of(tried, null, BREAKER, lane, T, 0.5);
  }

  private static long retryAt(Meaning meaning, @Nullable Duration retryAfter, LaneState lane) {
    Verdict verdict = Verdict.of(tried(aLease(), meaning, retryAfter), null, BREAKER, lane, T, 0.5);
    assertThat(verdict.event()).isEqualTo(DeliveryEvent.FAIL_RETRY);
    return Objects.requireNonNull(verdict.nextAttemptAtMs());
  }
}
