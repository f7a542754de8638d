package dev.postrider.delivery.accept;

import static dev.postrider.delivery.accept.AcceptRig.KEY_WINDOW_MS;
import static dev.postrider.delivery.accept.AcceptRig.message;
import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.endpoint.RoutingStore;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.AcceptResult.Accepted;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.Dialect;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Signals;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Idempotency keys while their generations change (docs/adr/0030). */
@Timeout(120)
@OnEachDatabase
class KeyGenerationsTest {
  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private Database database;
  private AcceptRig rig;
  private KeyGenerationStore generations;
  private Application acme;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    rig = new AcceptRig(database);
    generations = new KeyGenerationStore(database.dialect());
    acme = rig.application("acme");
    rig.endpoint(acme);
  }

  @AfterEach
  void close() {
    rig.close();
    database.close();
  }

  private NewMessage keyed(int key) {
    return message(acme, key, null, "{}");
  }

  private static final class Crash extends RuntimeException {}

  private KeyGeneration current() {
    return database.write(handle -> generations.current(handle, rig.time.nowMs(), KEY_WINDOW_MS));
  }

  private boolean rotate(KeyGeneration from) {
    return database.write(
        handle -> generations.rotate(handle, from, rig.time.nowMs(), KEY_WINDOW_MS));
  }

  /** Removes what has expired; returns how many keys there were. */
  private long remove() {
    long before = rig.count("idempotency");
    boolean none = false;
    while (!none) {
      none = database.write(handle -> generations.removeStep(handle, rig.time.nowMs()));
    }
    return before - rig.count("idempotency");
  }

  private long keysIn(KeyGeneration generation) {
    return rig.count(KeyTables.of(generation.slot()));
  }

  private static <T> CompletableFuture<T> async(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread::startVirtualThread);
  }

  // ---- keys of former generations ----

  @Test
  void aKeyOfAFormerGenerationIsNotAcceptedAgain() {
    Id first = rig.accepted(keyed(1));
    for (int i = 1; i < KeyTables.SLOTS; i++) {
      KeyGeneration before = current();
      assertThat(rotate(before)).isTrue();
      assertThat(rig.accept(keyed(1)))
          .as("after %d", i)
          .isEqualTo(Accepted.replay(acme.id(), new MessageId(first)));
      assertThat(rig.accept(message(acme, 1, null, "{\"n\":2}")))
          .isInstanceOf(AcceptResult.KeyReused.class);
      assertThat(keysIn(current())).isZero();
    }
    assertThat(rotate(current())).as("the first table has keys that may count").isFalse();
    assertThat(rig.count("messages")).isEqualTo(1);
  }

  @Test
  void anExpiredKeyOfAFormerGenerationIsFree() {
    Id first = rig.accepted(keyed(1));
    rotate(current());
    rig.time.advance(Duration.ofMillis(KEY_WINDOW_MS));
    Id second = rig.accepted(keyed(1));
    assertThat(second).isNotEqualTo(first);
    assertThat(rig.accepted(keyed(1))).as("the second use counts").isEqualTo(second);
  }

  /** As the rotation does it: a generation for half a window. */
  @Test
  void generationsGoRoundAndTablesAreEmptied() {
    long removed = 0;
    for (int i = 0; i < 2 * KeyTables.SLOTS; i++) {
      KeyGeneration used = current();
      assertThat(used.number()).isEqualTo(i);
      rig.accept(keyed(i));
      assertThat(keysIn(used)).isEqualTo(1);
      rig.time.advance(Duration.ofMillis(KEY_WINDOW_MS / 2));
      removed += remove();
      assertThat(rotate(used)).isTrue();
    }
    assertThat(removed).isEqualTo(2 * KeyTables.SLOTS - 3);
    assertThat(rig.count("idempotency")).as("the last three").isEqualTo(3);
    assertThat(rig.count(KeyTables.LONG)).isZero();
  }

  @Test
  void aKeyThatOutlivesItsGenerationIsCopied() {
    long until = rig.time.nowMs() + 10 * KEY_WINDOW_MS;
    NewMessage message = aMessage(acme).key(new Id(7, 1), new Id(8, 1)).build().withKeyUntil(until);
    KeyGeneration used = current();
    Id first = rig.accepted(message);
    rig.accept(keyed(2));
    assertThat(rig.count(KeyTables.LONG)).as("of the other, one row").isEqualTo(1);
    rotate(used);
    rig.time.advance(Duration.ofMillis(9 * KEY_WINDOW_MS));
    assertThat(remove()).as("with that of the other").isEqualTo(2);
    assertThat(rig.accept(message)).isEqualTo(Accepted.replay(acme.id(), new MessageId(first)));
    rig.time.advance(Duration.ofMillis(KEY_WINDOW_MS));
    assertThat(rig.accepted(message)).isNotEqualTo(first);
  }

  // ---- changes ----

  @Test
  void ofTwoRotationsOneCounts() {
    KeyGeneration before = current();
    List<Boolean> rotated =
        Stream.of(before, before).map(from -> async(() -> rotate(from))).toList().stream()
            .map(CompletableFuture::join)
            .toList();
    assertThat(rotated).containsExactlyInAnyOrder(true, false);
    assertThat(current().number()).isEqualTo(before.number() + 1);
    assertThat(rotate(before)).as("late").isFalse();
  }

  @Test
  void twoInstancesOpenTheSameFirstGeneration() {
    List<KeyGeneration> opened =
        Stream.generate(() -> async(this::current)).limit(4).toList().stream()
            .map(CompletableFuture::join)
            .toList();
    assertThat(opened).containsOnly(current());
    assertThat(rig.count("key_generations")).isEqualTo(KeyTables.SLOTS);
  }

  @Test
  void aRotationThatIsNotCommittedChangesNothing() {
    Id first = rig.accepted(keyed(1));
    KeyGeneration before = current();
    assertThatThrownBy(
            () ->
                database.write(
                    handle -> {
                      assertThat(
                              generations.rotate(handle, before, rig.time.nowMs(), KEY_WINDOW_MS))
                          .isTrue();
                      throw new Crash();
                    }))
        .isInstanceOf(Crash.class);
    assertThat(current()).isEqualTo(before);
    assertThat(rig.accepted(keyed(1))).isEqualTo(first);
    rig.accept(keyed(2));
    assertThat(keysIn(before)).isEqualTo(2);
    assertThat(rotate(before)).isTrue();
  }

  /** The store knows the former generation; its statement writes nothing. */
  @Test
  void aBatchForAFormerGenerationWritesNothing() throws Exception {
    KeyGeneration before = current();
    rotate(before);
    NewMessage message = keyed(1);
    PendingAccept pending =
        new PendingAccept(
            message,
            Objects.requireNonNull(
                new RoutingStore(database, rig.fixture.keyring, rig.time)
                    .load(Environment.DEFAULT_ID, "acme")),
            rig.fixture.ids.next(),
            List.of(),
            PendingAccept.Deduplication.NONE,
            List.of());
    AcceptStatements statements =
        database.dialect() == Dialect.POSTGRES ? new PostgresAccept() : new SqliteAccept();
    Stamp stamp = new Stamp(new Id(1, 1), rig.time.nowMs(), rig.time.nowMs() + 1, null);
    int written =
        rig.real.run(connection -> statements.insert(connection, List.of(pending), stamp, before));
    assertThat(written).isEqualTo(AcceptStatements.WRONG_GENERATION);
    assertThat(rig.count("messages")).isZero();
    assertThat(rig.count("idempotency")).isZero();
  }

  @Test
  void aBatchFollowsTheRotation() {
    rig.accept(keyed(1));
    KeyGeneration before = current();
    rotate(before);
    assertThat(rig.accept(keyed(2))).isInstanceOf(Accepted.class);
    assertThat(keysIn(before)).isEqualTo(1);
    assertThat(keysIn(current())).isEqualTo(1);
  }

  // ---- lost answers ----

  /** Its first run fails after the commit, or before it; a rotation comes in between. */
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
      rotate(current());
      throw new DatabaseUnavailable("the answer is lost", new IllegalStateException());
    }
  }

  @Test
  void aCommitWhoseAnswerWasLostCountsAcrossARotation() {
    rig.accept(keyed(9));
    rig.fault = new LostOnce(true);
    Id first = rig.accepted(keyed(1));
    assertThat(rig.accepted(keyed(1))).isEqualTo(first);
    assertThat(rig.count("messages")).isEqualTo(2);
    assertThat(rig.count("idempotency")).isEqualTo(2);
    assertThat(keysIn(current())).isZero();
  }

  @Test
  void aBatchThatFailedBeforeARotationIsWrittenAfterIt() {
    rig.accept(keyed(9));
    rig.fault = new LostOnce(false);
    Id first = rig.accepted(keyed(1));
    assertThat(rig.accepted(keyed(1))).isEqualTo(first);
    assertThat(rig.count("messages")).isEqualTo(2);
    assertThat(keysIn(current())).isEqualTo(1);
  }

  // ---- two connections ----

  private long waiting() {
    return rig.read(
        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            + " WHERE NOT l.granted AND d.datname = current_database() AND l.relation ="
            + " 'idempotency_0'::regclass");
  }

  /** Its key is not visible to the next generation, so that must not begin. */
  @Test
  void aRotationWaitsForStatementsThatInsert() {
    if (kind != Databases.Kind.POSTGRES) {
      return; // one writer
    }
    KeyGeneration before = current();
    database.write(
        handle -> {
          handle.execute(
              "INSERT INTO idempotency_0 (application_id, key, body, message_id, expires_at)"
                  + " VALUES (?, ?, ?, ?, ?)",
              acme.id(),
              new Id(7, 1),
              new Id(8, 1),
              new Id(9, 9),
              Long.MAX_VALUE);
          assertThatThrownBy(() -> async(() -> rotate(before)).join())
              .hasCauseInstanceOf(DatabaseUnavailable.class);
          return 0;
        });
    assertThat(current()).isEqualTo(before);
    assertThat(rotate(before)).isTrue();
    assertThat(rig.accept(keyed(1))).isInstanceOf(AcceptResult.KeyReused.class);
  }

  /** It has begun before the rotation is committed; its snapshot is taken after. */
  @Test
  void aStatementThatWaitedForARotationRunsAgain() throws Exception {
    if (kind != Databases.Kind.POSTGRES) {
      return; // one writer
    }
    rig.accept(keyed(9));
    KeyGeneration before = current();
    CountDownLatch rotated = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Boolean> rotation =
        async(
            () ->
                database.write(
                    handle -> {
                      boolean done =
                          generations.rotate(handle, before, rig.time.nowMs(), KEY_WINDOW_MS);
                      rotated.countDown();
                      goOn.await();
                      return done;
                    }));
    assertThat(rotated.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<AcceptResult> accept = async(() -> rig.accept(keyed(1)));
    Signals.poll("the statement waits", () -> waiting() == 1);
    goOn.countDown();
    assertThat(rotation.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(accept.get(30, TimeUnit.SECONDS)).isInstanceOf(Accepted.class);
    assertThat(keysIn(before)).isEqualTo(1);
    assertThat(keysIn(current())).isEqualTo(1);
  }
}
