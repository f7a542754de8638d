package dev.postrider.delivery.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.Transitions;
import dev.postrider.delivery.policy.Verdict.Rules;
import dev.postrider.delivery.policy.Verdict.Trial;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {
  private static final long T = 1_000_000;
  private static final Id ID = new Id(1, 1);
  private static final Rules RULES =
      new Rules(RetryPolicy.parse("10s,60s"), BreakerOptions.defaults(), 8);
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
  void statusesMeanFindings(int status, Finding finding) {
    assertThat(Finding.ofStatus(status)).isEqualTo(finding);
  }

  @Test
  void successDelivers() {
    Verdict verdict = after(Finding.SUCCESS, 0, LaneState.FRESH);
    assertThat(verdict).isEqualTo(new Verdict(new Decision.Delivered(), LaneState.FRESH, false));
    assertThat(verdict.lane()).as("nothing to write").isSameAs(LaneState.FRESH);
    assertThat(after(Finding.SUCCESS, 0, PROBING).lane()).isEqualTo(LaneState.FRESH);
    assertThat(after(Finding.SUCCESS, 0, LaneState.FRESH.withPace(0, 4)).lane().reducedCap())
        .isEqualTo(5);
  }

  @ParameterizedTest
  @EnumSource(names = {"RETRYABLE", "REJECTED", "BLOCKED", "OUR_FAULT", "SLOW_DOWN", "OVERLOADED"})
  void failuresFollowTheScheduleToItsEnd(Finding finding) {
    assertThat(after(finding, 0, LaneState.FRESH).decision())
        .isEqualTo(new Decision.RetryAt(T + 10_000));
    assertThat(after(finding, 1, LaneState.FRESH).decision())
        .isEqualTo(new Decision.RetryAt(T + 60_000));
    Verdict last = after(finding, 2, LaneState.FRESH);
    assertThat(last.decision()).isEqualTo(new Decision.DeadLetter(EndReason.EXHAUSTED));
    assertThat(last.disableEndpoint()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"RETRYABLE", "REJECTED", "BLOCKED", "OUR_FAULT", "SLOW_DOWN", "OVERLOADED"})
  void aResendIsNeverRescheduled(Finding finding) {
    Trial resend = new Trial(ID, finding, 0, true, null, null);
    assertThat(Verdict.of(resend, RULES, LaneState.FRESH, T, 0.5).decision())
        .isEqualTo(new Decision.DeadLetter(EndReason.RESEND_FAILED));
  }

  @ParameterizedTest
  @EnumSource
  void aCanceledDeliveryEndsUnlessTheAttemptSucceeded(Finding finding) {
    Trial canceled = new Trial(ID, finding, 0, false, EndReason.CANCEL_REQUESTED, null);
    Verdict verdict = Verdict.of(canceled, RULES, PROBING, T, 0.5);
    assertThat(verdict.decision())
        .isEqualTo(
            finding == Finding.SUCCESS
                ? new Decision.Delivered()
                : new Decision.Canceled(EndReason.CANCEL_REQUESTED));
    assertThat(verdict.lane())
        .as("the lane learns from the attempt all the same")
        .isEqualTo(after(finding, 0, PROBING).lane());
    assertThat(verdict.disableEndpoint()).isEqualTo(finding == Finding.GONE);
  }

  @Test
  void goneDisablesTheEndpoint() {
    Verdict verdict = after(Finding.GONE, 0, PROBING);
    assertThat(verdict.decision()).isEqualTo(new Decision.DeadLetter(EndReason.ENDPOINT_GONE));
    assertThat(verdict.disableEndpoint()).isTrue();
    assertThat(verdict.lane().probe()).isNull();
  }

  @Test
  void theRetryTimeIsTheLatestOfScheduleRetryAfterAndLane() {
    assertThat(retryAt(Finding.RETRYABLE, null, LaneState.FRESH)).isEqualTo(T + 10_000);
    assertThat(retryAt(Finding.REJECTED, Duration.ofSeconds(3), LaneState.FRESH))
        .isEqualTo(T + 10_000);
    assertThat(retryAt(Finding.RETRYABLE, Duration.ofSeconds(90), LaneState.FRESH))
        .isEqualTo(T + 90_000);
    assertThat(retryAt(Finding.SLOW_DOWN, Duration.ofDays(5), LaneState.FRESH))
        .isEqualTo(T + 86_400_000);
    LaneState open = OPEN.withCircuit(Circuit.OPEN, T + 45_000, 3, null);
    assertThat(retryAt(Finding.RETRYABLE, null, open)).isEqualTo(T + 45_000);
    assertThat(retryAt(Finding.RETRYABLE, null, LaneState.FRESH.withPace(T + 30_000, 1)))
        .isEqualTo(T + 30_000);
    assertThat(retryAt(Finding.RETRYABLE, null, PROBING))
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
  void countsForTheBreakerAndSlowsDown(Finding finding, int counted, boolean slowed) {
    LaneState lane = after(finding, 0, LaneState.FRESH).lane();
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
        Verdict.of(
                new Trial(ID, Finding.REJECTED, 0, false, null, null),
                new Rules(RetryPolicy.DEFAULT, counting, 8),
                LaneState.FRESH,
                T,
                0.5)
            .lane();
    assertThat(lane.circuit()).isEqualTo(Circuit.OPEN);
  }

  @ParameterizedTest
  @CsvSource({"SLOW_DOWN,3", "BLOCKED,3", "OUR_FAULT,3", "REJECTED,0", "SUCCESS,0", "RETRYABLE,4"})
  void onlyAnswersEndARunOfFailures(Finding finding, int failuresAfter) {
    LaneState run = LaneState.FRESH.withRun(3, T - 1000);
    assertThat(after(finding, 0, run).lane().consecutiveFailures()).isEqualTo(failuresAfter);
  }

  /**
   * Whatever the probe finds, it is no longer the lane's probe afterwards: a lane can never stay
   * half-open.
   */
  @ParameterizedTest
  @EnumSource(Finding.class)
  void everyFindingClearsTheProbe(Finding finding) {
    LaneState lane = after(finding, 0, PROBING).lane();
    assertThat(lane.probe()).isNull();
    assertThat(lane.circuit()).isNotEqualTo(Circuit.HALF_OPEN);
  }

  @ParameterizedTest
  @EnumSource(names = {"RETRYABLE", "SLOW_DOWN", "OVERLOADED", "BLOCKED", "OUR_FAULT"})
  void aLateResultDoesNotChangeTheProbe(Finding finding) {
    LaneState probing = Breaker.onProbeClaimed(OPEN, new Id(7, 7));
    LaneState lane = after(finding, 0, probing).lane();
    assertThat(lane.circuit()).isEqualTo(Circuit.HALF_OPEN);
    assertThat(lane.probe()).isEqualTo(new Id(7, 7));
  }

  @Test
  void afterASlowDownOfAProbeTheNextProbeFollowsThePause() {
    LaneState lane = after(Finding.SLOW_DOWN, 0, PROBING).lane();
    assertThat(Breaker.gate(lane, T)).isEqualTo(new Gate.Parked(T + 5000));
    assertThat(Breaker.gate(lane, T + 5000)).isEqualTo(Gate.PROBE);
  }

  @Test
  void decisionsFitTheTransitionTable() {
    for (Finding finding : Finding.values()) {
      for (int failedBefore = 0; failedBefore < 3; failedBefore++) {
        Decision decision = after(finding, failedBefore, LaneState.FRESH).decision();
        assertThat(Transitions.next(DeliveryStatus.SENDING, decision.event()))
            .isEqualTo(
                switch (decision) {
                  case Decision.Delivered() -> DeliveryStatus.DELIVERED;
                  case Decision.RetryAt(long at) -> DeliveryStatus.FAILED;
                  case Decision.DeadLetter(EndReason reason) -> DeliveryStatus.DEAD_LETTER;
                  case Decision.Canceled(EndReason reason) -> DeliveryStatus.CANCELED;
                });
      }
    }
  }

  private static Verdict after(Finding finding, int failedBefore, LaneState lane) {
    return Verdict.of(new Trial(ID, finding, failedBefore, false, null, null), RULES, lane, T, 0.5);
  }

  private static long retryAt(Finding finding, @Nullable Duration retryAfter, LaneState lane) {
    Trial trial = new Trial(ID, finding, 0, false, null, retryAfter);
    Decision decision = Verdict.of(trial, RULES, lane, T, 0.5).decision();
    assertThat(decision).isInstanceOf(Decision.RetryAt.class);
    return ((Decision.RetryAt) decision).atMs();
  }
}
