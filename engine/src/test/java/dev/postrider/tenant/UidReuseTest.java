package dev.postrider.tenant;

import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.TestEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A uid that was a deleted application's: what that one was sent says nothing about the new one.
 */
class UidReuseTest extends EngineBehaviour {
  private static NewMessage message(NewMessage.IdempotencyKey key, String eventId) {
    return aMessage("acme").type("a.b").eventId(eventId).key(key).build();
  }

  @ParameterizedTest
  @EnumSource
  void eventIdsAndKeysOfADeletedApplicationAreFree(Databases.Kind kind) {
    TestEngine engine = start(kind);
    engines.application(engine, "acme");
    NewMessage.IdempotencyKey key = new NewMessage.IdempotencyKey(new Id(1, 2), new Id(3, 4));
    AcceptResult.Accepted keyed = accepted(engine, message(key, null));
    accepted(engine, message(null, "e1"));
    assertThat(engine.applications().delete(Environment.DEFAULT_ID, "acme")).isTrue();
    Application next = engines.application(engine, "acme");

    assertThat(accepted(engine, message(null, "e1")).applicationId()).isEqualTo(next.id());
    assertThat(engine.applications().delete(Environment.DEFAULT_ID, "acme")).isTrue();
    Application third = engines.application(engine, "acme");
    AcceptResult.Accepted again = accepted(engine, message(key, null));
    assertThat(again.applicationId()).isEqualTo(third.id());
    assertThat(again.messageId()).isNotEqualTo(keyed.messageId());
    assertThat(engine.acceptor().accept(message(null, "e2")))
        .isInstanceOf(AcceptResult.Accepted.class);
    assertThat(engine.acceptor().accept(message(null, "e2")))
        .isInstanceOf(AcceptResult.EventIdTaken.class);
  }

  private static AcceptResult.Accepted accepted(TestEngine engine, NewMessage message) {
    AcceptResult result = engine.acceptor().accept(message);
    assertThat(result).isInstanceOf(AcceptResult.Accepted.class);
    return (AcceptResult.Accepted) result;
  }
}
