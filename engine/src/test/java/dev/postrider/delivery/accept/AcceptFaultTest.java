package dev.postrider.delivery.accept;

import static dev.postrider.delivery.accept.AcceptRig.idOf;
import static dev.postrider.delivery.accept.AcceptRig.message;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.limit.Share;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.AcceptResult.Accepted;
import dev.postrider.message.AcceptResult.Invalid;
import dev.postrider.message.AcceptResult.Refused;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Signals;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Accepting while something is broken: bad values, lost connections, an unavailable database, full
 * queues.
 */
@Timeout(120)
class AcceptFaultTest {
  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private <T extends AutoCloseable> T opened(T one) {
    open.add(one);
    return one;
  }

  private AcceptRig rig(Databases.Kind kind) {
    return opened(new AcceptRig(opened(kind.open(folder))));
  }

  private static String refusedType(AcceptRig rig) {
    return switch (rig.database.dialect()) {
      case POSTGRES -> "bad\0type"; // PostgreSQL's text holds no NUL
      case SQLITE -> {
        rig.database.write(
            handle ->
                handle.execute(
                    "CREATE TRIGGER refuse BEFORE INSERT ON messages WHEN NEW.event_type = 'bad'"
                        + " BEGIN SELECT RAISE(ABORT, 'refused'); END"));
        yield "bad";
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void aValueThatTheDatabaseRefusesFailsAlone(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    String bad = refusedType(rig);
    List<NewMessage> calls = new ArrayList<>();
    for (int i = 0; i < 37; i++) {
      calls.add(message(acme, i % 12 == 5 ? bad : "good", i, "e-" + i, new byte[] {1}, null));
    }

    List<AcceptResult> results = rig.acceptor.acceptAll(calls);

    for (int i = 0; i < 37; i++) {
      assertThat(results.get(i))
          .as("number %d", i)
          .isInstanceOf(i % 12 == 5 ? Invalid.class : Accepted.class);
    }
    assertThat(rig.count("messages")).isEqualTo(34);
    assertThat(rig.count("idempotency")).as("no key of a refused message").isEqualTo(34);
    assertThat(rig.deliveries()).isEqualTo(34);
    assertThat(rig.room.leased()).as("a place for each lease").isEqualTo(rig.handedOver.size());
    rig.finishLeased();
    assertThat(rig.room.inFlight()).isZero();
  }

  /** Callers gather while a batch commits; no batch after it holds more than the bound. */
  @ParameterizedTest
  @EnumSource
  void aBatchIsBoundedInBytes(Databases.Kind kind) throws Exception {
    AcceptRig rig =
        opened(
            new AcceptRig(
                opened(kind.open(folder)),
                true,
                new AcceptLoop.Limits(
                    500, 10_000, 10_000, 64 << 20, new Share(1), 60_000, 60_000)));
    Application acme = rig.application("acme");
    rig.accept(message(acme));
    Gathering gathering = new Gathering(rig);
    rig.fault = gathering;
    byte[] body = new byte[4_000];
    List<Future<AcceptResult>> calls = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 9; i++) {
        calls.add(callers.submit(() -> rig.accept(message(acme, "a", null, null, body, null))));
      }
      Signals.poll("eight wait behind the first", () -> rig.loop.waiting() >= 7);
      gathering.go.countDown();
      for (Future<AcceptResult> call : calls) {
        assertThat(call.get()).isInstanceOf(Accepted.class);
      }
    }
    assertThat(gathering.sizes).allMatch(rows -> rows <= 2).contains(2L);
    assertThat(gathering.sizes.stream().mapToLong(rows -> rows).sum()).isEqualTo(9);
  }

  /** Holds the first batch until the test releases it, and notes how many rows each one wrote. */
  private static final class Gathering implements AcceptRig.Fault {
    final CountDownLatch go = new CountDownLatch(1);
    final List<Long> sizes = new java.util.concurrent.CopyOnWriteArrayList<>();
    private final AcceptRig rig;

    Gathering(AcceptRig rig) {
      this.rig = rig;
    }

    @Override
    public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
      try {
        go.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      long before = rig.count("messages");
      T result = real.get();
      sizes.add(rig.count("messages") - before);
      return result;
    }
  }

  @Test
  void aValueTooLongForAnIndexIsInvalid() {
    AcceptRig rig = rig(Databases.Kind.POSTGRES);
    Application acme = rig.application("acme");
    StringBuilder eventId = new StringBuilder();
    java.util.Random random = new java.util.Random(3);
    for (int i = 0; i < 9_000; i++) {
      eventId.append((char) (' ' + random.nextInt(90)));
    }
    List<AcceptResult> results =
        rig.acceptAll(message(acme), message(acme, null, eventId.toString(), "{}"));
    assertThat(results.get(0)).isInstanceOf(Accepted.class);
    assertThat(results.get(1)).isInstanceOf(Invalid.class);
  }

  /**
   * The commit is done, its answer is lost: the re-run finds its own rows and hands them over once.
   */
  @ParameterizedTest
  @EnumSource
  void aLostAnswerIsRunAgainWithTheSameIds(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    rig.endpoint(acme, EndpointSpec.of("https://example.com/ordered").with(ORDERED, true));
    rig.fault = new LoseAnswer(rig.runs.get() + 1);
    int before = rig.runs.get();

    List<AcceptResult> results =
        rig.acceptAll(
            message(acme),
            message(acme, 1, null, "{}"),
            message(acme, null, "e", "{}"),
            message(acme, 2, "f", "{}"),
            message(acme, 2, "f", "{}"));

    assertThat(results).allMatch(Accepted.class::isInstance);
    assertThat(results.subList(0, 4)).allMatch(r -> !((Accepted) r).replayed());
    assertThat(((Accepted) results.get(4)).replayed()).isTrue();
    assertThat(rig.runs.get() - before).as("the re-run is not halved").isEqualTo(2);
    assertThat(rig.count("messages")).isEqualTo(4);
    assertThat(rig.deliveries()).isEqualTo(8);
    assertThat(rig.handedOver).hasSize(4);
  }

  private record LoseAnswer(int ofRun) implements AcceptRig.Fault {
    @Override
    public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
      T answer = real.get();
      if (run == ofRun) {
        throw new DatabaseUnavailable("the answer is lost");
      }
      return answer;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUnavailableDatabaseRefusesFastAndRecovers(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    rig.accepted(message(acme));
    rig.finishLeased();
    AtomicBoolean away = new AtomicBoolean(true);
    rig.fault =
        new AcceptRig.Fault() {
          @Override
          public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
            if (away.get()) {
              rig.time.advance(Duration.ofSeconds(1));
              throw new DatabaseUnavailable("gone");
            }
            return real.get();
          }
        };

    assertThat(rig.accept(message(acme))).isInstanceOf(Refused.class);
    assertThat(rig.loop.unavailable()).isTrue();
    assertThat(rig.accept(message(acme, 1, null, "{}")))
        .isInstanceOfSatisfying(Refused.class, r -> assertThat(r.why()).contains("unavailable"));
    assertThat(rig.room.leased()).as("refused ones hold no place").isZero();
    away.set(false);
    Signals.poll("heals", () -> !rig.loop.unavailable());
    assertThat(rig.accept(message(acme, 1, null, "{}")))
        .isInstanceOfSatisfying(Accepted.class, a -> assertThat(a.replayed()).isFalse());
    assertThat(rig.count("messages")).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void aFullQueueRefusesAtOnce(Databases.Kind kind) throws Exception {
    AcceptRig rig =
        opened(
            new AcceptRig(
                opened(kind.open(folder)),
                true,
                new AcceptLoop.Limits(2, 4 << 20, 3, 64 << 20, new Share(1), 60_000, 60_000)));
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    rig.fault =
        new AcceptRig.Fault() {
          @Override
          public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
            blocked.countDown();
            await(goOn);
            return real.get();
          }
        };
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<AcceptResult>> waiting = new ArrayList<>();
      waiting.add(callers.submit(() -> rig.accept(message(acme))));
      await(blocked);
      for (int i = 1; i <= 3; i++) {
        int queued = i;
        waiting.add(callers.submit(() -> rig.accept(message(acme))));
        Signals.poll("queued", () -> rig.loop.waiting() == queued);
      }
      assertThat(rig.accept(message(acme)))
          .isInstanceOfSatisfying(Refused.class, r -> assertThat(r.why()).contains("full"));
      rig.loop.pause(true);
      assertThat(rig.accept(message(acme)))
          .isInstanceOfSatisfying(Refused.class, r -> assertThat(r.why()).contains("disk"));
      rig.loop.pause(false);
      assertThat(rig.room.leased()).isEqualTo(1); // those who only wait hold no places
      goOn.countDown();
      for (Future<AcceptResult> one : waiting) {
        assertThat(one.get()).isInstanceOf(Accepted.class);
      }
    }
    assertThat(rig.count("messages")).isEqualTo(4);
    rig.finishLeased();
    assertThat(rig.room.leased()).isZero();
    assertThat(rig.room.inFlight()).isZero();
  }

  /** One application has so many messages waiting that it is refused; the others are not. */
  @Test
  void aFloodIsRefusedAlone() throws Exception {
    AcceptRig rig =
        opened(
            new AcceptRig(
                opened(Databases.Kind.SQLITE.open(folder)),
                true,
                new AcceptLoop.Limits(2, 4 << 20, 100, 64 << 20, new Share(0.2), 60_000, 60_000)));
    Application flood = rig.application("flood");
    Application calm = rig.application("calm");
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    rig.fault =
        new AcceptRig.Fault() {
          @Override
          public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
            blocked.countDown();
            await(goOn);
            return real.get();
          }
        };
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<AcceptResult>> waiting = new ArrayList<>();
      waiting.add(callers.submit(() -> rig.accept(message(calm))));
      await(blocked);
      for (int i = 1; i <= 20; i++) {
        int queued = i;
        waiting.add(callers.submit(() -> rig.accept(message(flood))));
        Signals.poll("queued", () -> rig.loop.waiting() == queued);
      }
      assertThat(rig.accept(message(flood)))
          .isInstanceOfSatisfying(
              Refused.class, r -> assertThat(r.why()).contains("too many messages"));
      waiting.add(callers.submit(() -> rig.accept(message(calm))));
      Signals.poll("the other is queued", () -> rig.loop.waiting() == 21);
      goOn.countDown();
      for (Future<AcceptResult> one : waiting) {
        assertThat(one.get()).isInstanceOf(Accepted.class);
      }
    }
    assertThat(rig.accept(message(flood))).isInstanceOf(Accepted.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The first half is committed, then something breaks inside: what is committed stays accepted.
   */
  @ParameterizedTest
  @EnumSource
  void aFaultNeverTurnsACommitIntoARefusal(Databases.Kind kind) {
    AcceptRig rig = rig(kind);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    int first = rig.runs.get() + 1;
    rig.fault =
        new AcceptRig.Fault() {
          @Override
          public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
            if (run == first) {
              throw new StorageException("refused", new SQLException("refused", "22000"));
            }
            if (run == first + 2) {
              throw new IllegalStateException("broken inside");
            }
            return real.get();
          }
        };

    List<AcceptResult> results =
        rig.acceptAll(message(acme, 1, null, "{}"), message(acme, 2, null, "{}"));

    assertThat(results.get(0)).isInstanceOf(Accepted.class);
    assertThat(results.get(1)).isInstanceOf(Refused.class);
    assertThat(rig.count("messages")).isEqualTo(1);
    assertThat(rig.handedOver).hasSize(1);
    rig.finishLeased();
    assertThat(rig.room.leased()).isZero();
  }

  /** A message of the same call that cannot even be planned must not keep the others' places. */
  @Test
  void aFaultWhilePlanningLeaksNoPlace() {
    Database database = Databases.sqlite(folder);
    AcceptRig rig = new AcceptRig(database);
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    Application idle = rig.application("idle");
    rig.fixture.applications.update(
        Environment.DEFAULT_ID,
        "idle",
        s ->
            new ApplicationSpec(
                s.uid(), s.name(), s.metadata(), s.throttleRate(), false, s.settings()));
    rig.accepted(message(acme));
    rig.finishLeased();
    assertThat(rig.accept(message(idle))).isEqualTo(new AcceptResult.ApplicationInactive());
    rig.fault =
        new AcceptRig.Fault() {
          @Override
          public <T extends @Nullable Object> T run(int run, Supplier<T> real) {
            rig.time.advance(Duration.ofSeconds(5));
            return real.get();
          }
        };
    database.close();

    assertThat(rig.acceptAll(message(acme), message(idle))).allMatch(Refused.class::isInstance);
    assertThat(rig.room.leased()).isZero();
    assertThat(rig.room.inFlight()).isZero();
    rig.close();
  }

  /** A caller that arrives while the loop stops gets a response. */
  @Test
  void everyCallerIsAnsweredWhileTheLoopStops() throws Exception {
    Database database = opened(Databases.sqlite(folder));
    for (int round = 0; round < 20; round++) {
      AcceptRig rig = new AcceptRig(database);
      Application acme = rig.application("acme");
      long before = rig.count("messages");
      int accepted = 0;
      try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<AcceptResult>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          calls.add(callers.submit(() -> rig.accept(message(acme))));
        }
        callers.submit(rig::close).get();
        for (Future<AcceptResult> call : calls) {
          AcceptResult result = call.get(60, TimeUnit.SECONDS);
          assertThat(result).isInstanceOfAny(Accepted.class, Refused.class);
          accepted += result instanceof Accepted ? 1 : 0;
        }
      }
      assertThat(rig.count("messages") - before).isEqualTo(accepted);
    }
  }

  @Test
  void idsAreUniqueAcrossResults() {
    AcceptRig rig = rig(Databases.Kind.SQLITE);
    Application acme = rig.application("acme");
    assertThat(rig.acceptAll(message(acme), message(acme), message(acme)))
        .extracting(r -> idOf(r))
        .doesNotHaveDuplicates();
  }
}
