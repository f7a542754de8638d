package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.workflow.definition.ErrorClass;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The class of each kind of answer. */
final class ErrorClassTest extends MachineTest {

  private static Answer answer(int status) {
    return failed(status, 0);
  }

  @Test
  @DisplayName(
      "3xx counts as 4xx; DNS, TLS, reset = network; rejected = never left (guard, bad URL,"
          + " secret)")
  void classes() {
    assertThat(answer(200).errorClass()).isNull();
    assertThat(answer(204).errorClass()).isNull();
    assertThat(answer(302).errorClass()).isEqualTo(ErrorClass.CLIENT);
    assertThat(answer(404).errorClass()).isEqualTo(ErrorClass.CLIENT);
    assertThat(answer(410).errorClass()).isEqualTo(ErrorClass.CLIENT);
    assertThat(answer(500).errorClass()).isEqualTo(ErrorClass.SERVER);
    assertThat(answer(599).errorClass()).isEqualTo(ErrorClass.SERVER);
    assertThat(RunWorld.noAnswer(Answer.Kind.TIMEOUT, 0).errorClass())
        .isEqualTo(ErrorClass.TIMEOUT);
    assertThat(RunWorld.noAnswer(Answer.Kind.NETWORK, 0).errorClass())
        .isEqualTo(ErrorClass.NETWORK);
    assertThat(RunWorld.noAnswer(Answer.Kind.REJECTED, 0).errorClass())
        .isEqualTo(ErrorClass.REJECTED);
  }

  @Test
  @DisplayName(
      "Responses are read up to 1 MB (setting): larger is too_large; non-JSON becomes a string,"
          + " empty becomes null")
  void responses() {
    Answer large = new Answer(Answer.Kind.ANSWERED, 200, new byte[] {'1'}, true, 0, null, null);
    assertThat(large.errorClass()).isEqualTo(ErrorClass.TOO_LARGE);
    assertThat(world("[{name: 'a', type: 'http'}]").start("{}").ok("a", "hello").output())
        .isEqualTo("\"hello\"");
    assertThat(world("[{name: 'a', type: 'http'}]").start("{}").ok("a", "").output())
        .isEqualTo("null");
    assertThat(world("[{name: 'a', type: 'http'}]").start("{}").ok("a", "[1.50]").output())
        .isEqualTo("[1.50]");
  }

  @Test
  @DisplayName("all in retry excludes expression, rejected, too_large, limit")
  void allIsNotEach() {
    RunWorld run = world("[{name: 'a', type: 'http', retry: {max: 3}}]").start("{}");
    run.answer("a", RunWorld.noAnswer(Answer.Kind.REJECTED, 0));
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);

    RunWorld retried = world("[{name: 'a', type: 'http', retry: {max: 3}}]").start("{}");
    retried.answer("a", RunWorld.noAnswer(Answer.Kind.NETWORK, 0));
    assertThat(retried.steps()).endsWith("retrying a");
  }
}
