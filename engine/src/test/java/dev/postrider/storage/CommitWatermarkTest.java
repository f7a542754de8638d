package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers that must not miss stop behind what is not committed yet (engine rule 9). */
@Timeout(120)
class CommitWatermarkTest {
  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final Ids ids = new Ids(time::nowMs, new SplittableRandom(3));
  private final CommitWatermark watermark = CommitWatermark.alone(ids, time);

  @Test
  void whenNothingIsOpenItStandsBetweenTheGivenAndTheLaterIds() {
    for (int i = 0; i < 100; i++) {
      Id given = ids.next();
      Id at = watermark.at();
      assertThat(at).isGreaterThanOrEqualTo(given);
      assertThat(ids.next()).isGreaterThan(at);
    }
    Id before = watermark.at();
    time.advance(Duration.ofSeconds(1));
    assertThat(watermark.at()).as("time passes it on").isGreaterThan(before);
  }

  @Test
  void anOpenSpanHoldsItAndASettledOneDoesNot() {
    CommitWatermark.Span slow = watermark.begin();
    Id first = ids.next();
    CommitWatermark.Span quick = watermark.begin();
    Id second = ids.next();
    quick.settled();
    assertThat(watermark.at()).isLessThan(first);
    slow.settled();
    assertThat(watermark.at()).isGreaterThanOrEqualTo(second);
  }

  @Test
  void anUncertainCommitHoldsTheWatermarkUntilItsTimeout() {
    Id id;
    try (var _ = watermark.begin()) {
      id = ids.next();
    }
    time.advance(CommitWatermark.DOUBT.minusMillis(1));
    assertThat(watermark.at()).isLessThan(id);
    time.advance(Duration.ofMillis(1));
    assertThat(watermark.at()).isGreaterThan(id);
  }

  @Test
  void aSharedWatermarkIsZeroUntilOthersReport() {
    CommitWatermark shared = CommitWatermark.shared(ids, time);
    Id id = ids.next();
    assertThat(shared.at()).isEqualTo(Id.ZERO);
    shared.othersAreAt(Id.floorOf(time.nowMs() - 5_000));
    assertThat(shared.at()).isLessThan(id);
    shared.othersAreAt(Id.floorOf(time.nowMs() + 5_000));
    assertThat(shared.at()).isGreaterThanOrEqualTo(id);
  }

  /** Writers commit in any order; whatever appears after a look lies beyond it. */
  @Test
  void noIdAppearsAtOrBelowTheWatermark() throws Exception {
    Map<Id, Integer> lookWhenCommitted = new ConcurrentHashMap<>();
    List<Id> looks = new ArrayList<>();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      writers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 500; i++) {
                      CommitWatermark.Span span = watermark.begin();
                      Id id = ids.next();
                      LockSupport.parkNanos(20_000); // a commit takes time
                      synchronized (looks) {
                        lookWhenCommitted.put(id, looks.size());
                      }
                      span.settled();
                    }
                  }));
    }
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!done.get()) {
                    Id at = watermark.at();
                    synchronized (looks) {
                      looks.add(at);
                    }
                    time.advance(Duration.ofMillis(1));
                  }
                });
    for (Thread writer : writers) {
      writer.join();
    }
    done.set(true);
    reader.join();
    assertThat(lookWhenCommitted).hasSize(2_000);
    Map<Integer, Id> highest = new HashMap<>();
    Id highestSoFar = Id.ZERO;
    for (int i = 0; i < looks.size(); i++) {
      highestSoFar = looks.get(i).compareTo(highestSoFar) > 0 ? looks.get(i) : highestSoFar;
      highest.put(i + 1, highestSoFar);
    }
    lookWhenCommitted.forEach(
        (id, look) -> assertThat(id).isGreaterThan(highest.getOrDefault(look, Id.ZERO)));
  }

  /** One instance's commit is stuck: the other one's readers wait for it. */
  @Test
  void itIsThatOfTheSlowestInstance() throws Exception {
    try (Engines engines = new Engines(Databases.Kind.POSTGRES, folder)) {
      TestEngine stuck = engines.start();
      TestEngine other = engines.start();
      Application acme = engines.application(stuck, "acme");
      Id first = Engines.send(stuck, acme, "{}");
      engines.await("passed", () -> other.horizon().at().compareTo(first) >= 0);
      CountDownLatch locked = new CountDownLatch(1);
      CountDownLatch unlock = new CountDownLatch(1);
      CompletableFuture<Boolean> lock =
          CompletableFuture.supplyAsync(
              () ->
                  other
                      .database()
                      .write(
                          handle -> {
                            handle.execute("LOCK TABLE messages IN EXCLUSIVE MODE");
                            locked.countDown();
                            return unlock.await(20, TimeUnit.SECONDS);
                          }),
              Thread::startVirtualThread);
      assertThat(locked.await(60, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Id> sending =
          CompletableFuture.supplyAsync(
              () -> Engines.send(stuck, acme, "{}"), Thread::startVirtualThread);
      engines.await("given an id", () -> stuck.acceptsWaiting() == 0 && behind(stuck) > 3_000);
      Id seen = other.horizon().at();
      unlock.countDown();
      Id second = sending.get(60, TimeUnit.SECONDS);

      assertThat(lock.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(seen).as("a reader there stops before it").isLessThan(second);
      engines.await("passed again", () -> other.horizon().at().compareTo(second) >= 0);
    }
  }

  private static long behind(TestEngine engine) {
    return engine.time().nowMs() - engine.horizon().local().epochMs();
  }
}
