package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Retries and timeouts of steps. */
final class RetryRulesTest extends MachineTest {

  @Test
  @DisplayName("No retry = none.")
  void noRetryMeansOneAttempt() {
    RunWorld run = world("[{name: 'a', type: 'http'}]").start("{}").answer("a", 503, "");
    assertThat(run.steps()).containsExactly("scheduled a", "failed a");
    assertThat(run.error().attempts()).isEqualTo(1);
  }

  @Test
  @DisplayName("max = retries after the first try; defaults 1 s, ×2, cap 1 h, ±10 %")
  void delays() {
    RunWorld run = world("[{name: 'a', type: 'http', retry: {max: 13}}]").start("{}");
    int seq = run.live("a");
    for (int i = 0; i < 13; i++) {
      run.answer("a", failed(503, i));
      double expected = Math.min(1000 * Math.pow(2, i), 3_600_000);
      assertThat((double) (run.retries.get(seq) - run.nowMs))
          .isBetween(expected * 0.9, expected * 1.1);
    }
    run.answer("a", failed(503, 13));
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.error().attempts()).isEqualTo(14);
  }

  @Test
  @DisplayName("A repeat after rescue does not count.")
  void aRescuedAttemptDoesNotCount() {
    RunWorld run = world("[{name: 'a', type: 'http', retry: {max: 1}}]").start("{}");
    // The engine counts failed attempts only: the third one is the first that failed.
    run.answer("a", failed(503, 0));
    assertThat(run.steps()).endsWith("retrying a");
  }

  @Test
  void retryAfterDelaysButNotBeyondTheTimeout() {
    RunWorld run = world("[{name: 'a', type: 'http', timeout: '1m', retry: {max: 3}}]").start("{}");
    int seq = run.live("a");
    Answer asks = new Answer(Answer.Kind.ANSWERED, 503, new byte[0], false, 0, 20_000L, null);
    run.answer("a", asks);
    assertThat(run.retries.get(seq)).isEqualTo(run.nowMs + 20_000);
    run.answer("a", new Answer(Answer.Kind.ANSWERED, 503, new byte[0], false, 1, 900_000L, null));
    assertThat(run.retries.get(seq)).isEqualTo(run.nowMs + 60_000);
  }

  @Test
  @DisplayName(
      "timeout = the whole step with retries, lane waits and open circuit; a step timeout is not"
          + " retried")
  void theTimeoutCoversAllAttempts() {
    RunWorld run =
        world(
                """
                [{name: 'a', type: 'http', timeout: '10s', retry: {max: 9}, catch: [{errors: ['timeout'], next: 'z'}]},
                 {name: 'z', type: 'transform', expression: '$error'}]\
                """)
            .start("{}");
    run.answer("a", failed(503, 0));
    assertThat(run.dueAtMs).isEqualTo(RunWorld.START + 10_000);
    run.pass(10_000);
    assertThat(run.steps()).contains("timed_out a", "completed z");
    run.withdraw(RunEvent.Withdrawn.How.ANSWERED);
    assertThat(run.output()).contains("\"class\":\"timeout\"", "\"step\":\"a\"");
  }

  @Test
  @DisplayName("request_timeout per try (15 s)")
  void aTimeoutOfOneAttemptIsRetried() {
    RunWorld run =
        world("[{name: 'a', type: 'http', retry: {max: 1, errors: ['timeout']}}]").start("{}");
    run.answer("a", RunWorld.noAnswer(Answer.Kind.TIMEOUT, 0));
    assertThat(run.steps()).endsWith("retrying a");
  }

  @Test
  @DisplayName("idempotency-key = run/step/visit, the same for all tries")
  void theKeyNamesTheVisit() {
    RunWorld run =
        world(
                """
                [{name: 'a', type: 'http', retry: {max: 1}},
                 {name: 'again', type: 'choice', choices: [{when: '$steps.a.visits < 2', next: 'a'}], default: 'p'},
                 {name: 'p', type: 'parallel', branches: [{name: 'x', steps: [{name: 'b', type: 'http'}]}]}]\
                """)
            .start("{}");
    String first = key(run, "a");
    assertThat(first).endsWith("/a/1").startsWith("run_");
    run.answer("a", failed(503, 0));
    assertThat(run.effects.stream().filter(RunEffect.Call.class::isInstance)).hasSize(1);
    run.ok("a", "1");
    assertThat(key(run, "a")).endsWith("/a/2");
    run.ok("a", "1");
    assertThat(key(run, "b")).endsWith("/p.1/0/b/1");
  }

  private static String key(RunWorld run, String step) {
    return run.calls.get(run.live(step)).request().key();
  }
}
