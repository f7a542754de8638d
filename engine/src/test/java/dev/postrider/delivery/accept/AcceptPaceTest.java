package dev.postrider.delivery.accept;

import static dev.postrider.delivery.accept.AcceptRig.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.id.Id;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Signals;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accepting keeps step with delivering: it slows down, and never stops. */
class AcceptPaceTest {
  /** More than a lane holds, so that a batch brings many deliveries that wait. */
  private static final int ENDPOINTS = 10;

  private static final int BUSY_LANES = 125;
  private static final int BUSY_TRIES = 16;

  @TempDir Path folder;
  private AcceptRig rig;
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  @BeforeEach
  void open() {
    rig = new AcceptRig(Databases.Kind.SQLITE.open(folder));
  }

  @AfterEach
  void close() {
    callers.shutdownNow();
    rig.close();
    rig.database.close();
  }

  private void fallBehind() {
    for (int lane = 0; lane < BUSY_LANES; lane++) {
      assertThat(rig.room.reserve(busy(lane), 100, BUSY_TRIES)).isEqualTo(BUSY_TRIES);
    }
    assertThat(rig.room.isBehind()).isTrue();
  }

  private Application withEndpoints() {
    Application acme = rig.application("acme");
    for (int i = 0; i < ENDPOINTS; i++) {
      rig.endpoint(acme);
    }
    return acme;
  }

  private Lane busy(int lane) {
    return rig.lanes.of(new Id(5, 5), new Id(6, lane));
  }

  private List<AcceptResult> acceptMany(Application application) {
    List<NewMessage> many = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      many.add(message(application));
    }
    return rig.acceptor.acceptAll(many);
  }

  @Test
  void acceptsAreDelayedByABacklogOfLeases() throws Exception {
    Application acme = withEndpoints();
    fallBehind();
    acceptMany(acme); // 4,000 deliveries: the next batch waits for up to a second
    Future<AcceptResult> next = callers.submit(() -> rig.accept(message(acme)));
    TimeUnit.MILLISECONDS.sleep(50); // shows that it waits
    assertThat(next.isDone()).isFalse();
    for (int lane = 0; lane < BUSY_LANES; lane++) {
      rig.room.unreserve(busy(lane), BUSY_TRIES);
    }
    rig.finishLeased();
    assertThat(next.get(60, TimeUnit.SECONDS)).isInstanceOf(AcceptResult.Accepted.class);
  }

  @Test
  void acceptsContinueWithAnyBacklogOfLeases() throws Exception {
    Application acme = withEndpoints();
    fallBehind();
    acceptMany(acme);
    Future<AcceptResult> next = callers.submit(() -> rig.accept(message(acme)));
    assertThat(next.get(60, TimeUnit.SECONDS)).isInstanceOf(AcceptResult.Accepted.class);
  }

  @Test
  void slowReceiversDoNotDelayAccepts() {
    LaneRoom room = rig.room;
    fallBehind();
    for (int i = 0; i < BUSY_LANES * BUSY_TRIES; i++) {
      room.sending(busy(i % BUSY_LANES));
    }
    assertThat(room.isBehind()).isFalse();
    assertThat(room.waitingForUs()).isZero();
    room.backFromReceiver();
    assertThat(room.waitingForUs()).isEqualTo(1);
  }

  @Test
  void callersThatWaitForTheirCommitHoldNoPlaces() throws Exception {
    Application acme = rig.application("acme");
    rig.endpoint(acme);
    CountDownLatch inCommit = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    rig.wrap =
        connection -> {
          inCommit.countDown();
          awaitQuietly(goOn);
          return connection;
        };
    List<Future<AcceptResult>> calls = new ArrayList<>();
    calls.add(callers.submit(() -> rig.accept(message(acme))));
    assertThat(inCommit.await(60, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 200; i++) {
      calls.add(callers.submit(() -> rig.accept(message(acme))));
    }
    Signals.poll("200 wait", () -> rig.loop.waiting() >= 200);
    assertThat(rig.room.leased()).isEqualTo(1);
    goOn.countDown();
    for (Future<AcceptResult> call : calls) {
      assertThat(call.get(60, TimeUnit.SECONDS)).isInstanceOf(AcceptResult.Accepted.class);
    }
    // What a lane gets of which nothing is known.
    assertThat(rig.room.leased()).isEqualTo(16);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
