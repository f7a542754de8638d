package dev.postrider.delivery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.testkit.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaneExecutorTest {
  private static final long NEVER = TimeUnit.HOURS.toNanos(1);

  private final LaneTable lanes = new LaneTable(new ManualTime());
  private final Lane lane = lanes.of(new Id(3, 3), new Id(1, 1));
  private final Lane other = lanes.of(new Id(3, 3), new Id(1, 2));

  @Test
  void aBurstIsSentByAFewThreads() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch allThere = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(1_000);
    LaneExecutor starts = new LaneExecutor(NEVER);
    Runnable attempt =
        () -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          await(allThere);
          now.decrementAndGet();
          all.countDown();
        };
    IntStream.range(0, 1_000).forEach(_ -> starts.start(lane, attempt));
    allThere.countDown();
    assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(most.get()).isLessThanOrEqualTo(LaneExecutor.AT_ONCE);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Held {
    private final Semaphore started = new Semaphore(0);
    private final Semaphore end = new Semaphore(0);
    private final List<Integer> order = new ArrayList<>();

    void run(int number) {
      synchronized (order) {
        order.add(number);
      }
      started.release();
      end.acquireUninterruptibly();
    }

    boolean started(int tries) throws InterruptedException {
      return started.tryAcquire(tries, 60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aSlowLaneStillRunsAllItsAttempts() throws Exception {
    Held held = new Held();
    LaneExecutor starts = new LaneExecutor();
    IntStream.range(0, 100).forEach(i -> starts.start(lane, () -> held.run(i)));
    assertThat(held.started(100)).isTrue(); // though none has ended
    held.end.release(100);
  }

  @Test
  void anotherLaneNeverWaits() throws Exception {
    Held held = new Held();
    LaneExecutor starts = new LaneExecutor();
    IntStream.range(0, LaneExecutor.AT_ONCE).forEach(i -> starts.start(lane, () -> held.run(i)));
    assertThat(held.started(LaneExecutor.AT_ONCE)).isTrue();
    starts.start(other, () -> held.run(77));
    assertThat(held.started(1)).isTrue();
    held.end.release(100);
  }

  @Test
  void waitingAttemptsRunInTheOrderOfTheirArrival() throws Exception {
    Held held = new Held();
    LaneExecutor starts = new LaneExecutor(NEVER);
    IntStream.range(0, LaneExecutor.AT_ONCE + 3)
        .forEach(i -> starts.start(lane, () -> held.run(i)));
    assertThat(held.started(LaneExecutor.AT_ONCE)).isTrue();
    for (int i = 0; i < 3; i++) {
      held.end.release();
      assertThat(held.started(1)).isTrue();
    }
    held.end.release(100);
    synchronized (held.order) {
      assertThat(held.order.subList(LaneExecutor.AT_ONCE, LaneExecutor.AT_ONCE + 3))
          .containsExactly(
              LaneExecutor.AT_ONCE, LaneExecutor.AT_ONCE + 1, LaneExecutor.AT_ONCE + 2);
    }
  }

  @Test
  void anAttemptThatThrowsDoesNotStopTheLane() throws Exception {
    CountDownLatch all = new CountDownLatch(100);
    LaneExecutor starts = new LaneExecutor();
    IntStream.range(0, 100)
        .forEach(
            i ->
                starts.start(
                    lane,
                    () -> {
                      all.countDown();
                      if (i % 2 == 0) {
                        throw new ThreadDeathByTest();
                      }
                    }));
    assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private static final class ThreadDeathByTest extends RuntimeException {
    private static final long serialVersionUID = 1;

    ThreadDeathByTest() {
      super(null, null, false, false);
    }
  }
}
