package dev.postrider.delivery.accept;

import static dev.postrider.delivery.accept.AcceptRig.message;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.BatchResult;
import dev.postrider.message.BatchResult.Accepted;
import dev.postrider.message.BatchResult.Refused;
import dev.postrider.message.MessageBatch;
import dev.postrider.message.NewMessage;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.Dialect;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Batches of a caller: all messages in one commit, or none, and one key for all. */
@Timeout(120)
@OnEachDatabase
class BatchAcceptTest {
  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private Database database;
  private AcceptRig rig;
  private Application acme;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    rig = new AcceptRig(database);
    acme = rig.application("acme");
    rig.endpoint(acme);
  }

  @AfterEach
  void close() {
    rig.close();
    database.close();
  }

  private MessageBatch batch(@Nullable Integer key, String... eventIds) {
    List<NewMessage> messages = new ArrayList<>();
    for (String eventId : eventIds) {
      messages.add(message(acme, null, eventId.isEmpty() ? null : eventId, "{}"));
    }
    return new MessageBatch(messages, key == null ? null : key(key, 1));
  }

  private static IdempotencyKey key(int key, int body) {
    return new IdempotencyKey(new Id(7, key), new Id(8, body));
  }

  private List<MessageId> accepted(MessageBatch batch) {
    BatchResult result = rig.acceptor.acceptBatch(batch);
    assertThat(result).isInstanceOf(Accepted.class);
    return ((Accepted) result).ids();
  }

  private void nothingMore(long messages) {
    assertThat(rig.count("messages")).isEqualTo(messages);
    assertThat(rig.deliveries()).isEqualTo(messages);
    assertThat(rig.room.leased()).as("a place for each lease").isEqualTo(rig.handedOver.size());
  }

  @Test
  void aBatchHasOneKeyWithItsMessagesInOrder() {
    List<MessageId> first = accepted(batch(1, "", "e1", "", "e2"));
    assertThat(first).hasSize(4).doesNotHaveDuplicates();
    assertThat(rig.count("idempotency")).isEqualTo(1);
    BatchResult again = rig.acceptor.acceptBatch(batch(1, "", "e1", "", "e2"));
    assertThat(again)
        .isEqualTo(new Accepted(first, true, List.of(List.of(), List.of(), List.of(), List.of())));
    MessageBatch other = new MessageBatch(batch(null, "").messages(), key(1, 2));
    assertThat(rig.acceptor.acceptBatch(other))
        .isEqualTo(new Refused(Refused.WHOLE, new AcceptResult.KeyReused()));
    nothingMore(4);
    assertThat(accepted(batch(null, "", ""))).hasSize(2);
  }

  @Test
  void aTakenEventIdRefusesTheBatchAndNamesItsMessage() {
    Id holder = rig.accepted(message(acme, null, "e2", "{}"));
    assertThat(rig.acceptor.acceptBatch(batch(1, "e1", "", "e2")))
        .isEqualTo(new Refused(2, new AcceptResult.EventIdTaken(new MessageId(holder))));
    nothingMore(1);
    assertThat(rig.count("idempotency")).as("the key is not used up").isZero();
    assertThat(rig.count("event_ids")).isEqualTo(1);
    assertThat(accepted(batch(1, "e1", ""))).hasSize(2);
  }

  @Test
  void anEventIdTwiceInABatchIsRefused() {
    BatchResult result = rig.acceptor.acceptBatch(batch(1, "e1", "", "e1"));
    assertThat(result).isInstanceOf(Refused.class);
    assertThat(((Refused) result).item()).isEqualTo(2);
    nothingMore(0);
  }

  @Test
  void aValueThatTheDatabaseRejectsRefusesTheBatchAndNamesItsMessage() {
    if (database.dialect() == Dialect.SQLITE) {
      database.write(
          handle ->
              handle.execute(
                  "CREATE TRIGGER refuse BEFORE INSERT ON messages WHEN NEW.event_type = 'bad\0type'"
                          .replace("\0type", "")
                      + " BEGIN SELECT RAISE(ABORT, 'refused'); END"));
    }
    String bad = database.dialect() == Dialect.SQLITE ? "bad" : "bad\0type";
    List<NewMessage> messages = new ArrayList<>(batch(null, "", "", "").messages());
    messages.set(1, aMessage(acme).type(bad).build());
    List<CompletableFuture<BatchResult>> calls =
        IntStream.range(0, 6)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () ->
                            rig.acceptor.acceptBatch(
                                i == 3
                                    ? new MessageBatch(messages, key(i, 1))
                                    : batch(i, "a" + i, "", "")),
                        Thread::startVirtualThread))
            .toList();
    for (int i = 0; i < 6; i++) {
      BatchResult result = calls.get(i).join();
      if (i == 3) {
        assertThat(result)
            .isEqualTo(new Refused(1, new AcceptResult.Invalid("the database rejected a value")));
      } else {
        assertThat(result).isInstanceOf(Accepted.class);
      }
    }
    nothingMore(15);
    assertThat(rig.count("idempotency")).isEqualTo(5);
  }

  @Test
  void aStaleRoutingRunsTheWholeBatchAgain() {
    accepted(batch(1, ""));
    rig.endpoint(acme); // the cache does not know it
    assertThat(accepted(batch(2, "", "e", ""))).hasSize(3);
    assertThat(rig.count("messages")).isEqualTo(4);
    assertThat(rig.deliveries()).isEqualTo(1 + 2 * 3);
  }

  @Test
  void equalKeysAtOnceMakeOneBatch() {
    List<List<MessageId>> results =
        IntStream.range(0, 8)
            .mapToObj(
                _ ->
                    CompletableFuture.supplyAsync(
                        () -> accepted(batch(1, "e1", "", "e2")), Thread::startVirtualThread))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .distinct()
            .toList();
    assertThat(results).hasSize(1);
    nothingMore(3);
  }

  /** After the commit, or before it. */
  private final class LostOnce implements AcceptRig.Fault {
    private final boolean committed;
    private boolean lost;

    LostOnce(boolean committed) {
      this.committed = committed;
    }

    @Override
    public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
      if (lost) {
        return real.get();
      }
      lost = true;
      if (committed) {
        real.get();
      }
      throw new DatabaseUnavailable("the answer is lost", new IllegalStateException());
    }
  }

  @Test
  void aBatchWhoseAnswerWasLostIsAcceptedOnce() {
    int messages = 0;
    for (boolean committed : new boolean[] {true, false}) {
      rig.fault = new LostOnce(committed);
      List<MessageId> first = accepted(batch(messages, "e" + committed, "", ""));
      messages += 3;
      assertThat(accepted(batch(messages - 3, "e" + committed, "", ""))).isEqualTo(first);
      nothingMore(messages);
    }
  }
}
