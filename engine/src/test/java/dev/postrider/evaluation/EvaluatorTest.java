package dev.postrider.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.testkit.Signals;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads come back, and one owner never takes them all. */
final class EvaluatorTest {
  private final AtomicLong nanos = new AtomicLong();
  private final TimeSource time =
      new TimeSource() {
        @Override
        public long nowMs() {
          return 0;
        }

        @Override
        public long nanos() {
          return nanos.get();
        }
      };
  private final Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, time);
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    callers.close();
    evaluator.close();
  }

  private static int spin() {
    while (true) {
      Budget.current().check();
    }
  }

  private Future<Integer> blocked(Object owner, CountDownLatch begun) {
    return blocked(evaluator, owner, begun);
  }

  private Future<Integer> blocked(Evaluator where, Object owner, CountDownLatch begun) {
    return callers.submit(
        () ->
            where.run(
                owner,
                () -> {
                  begun.countDown();
                  try {
                    release.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt(); // the evaluator is closed
                  }
                  return 1;
                }));
  }

  @Test
  void oneOwnerLeavesThreadsToTheOthers() throws Exception {
    CountDownLatch two = new CountDownLatch(2);
    List<Future<Integer>> greedy = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      greedy.add(blocked("greedy", two));
    }
    two.await();
    Signals.poll("48 wait", () -> evaluator.waiting() >= 48);
    assertThat(evaluator.busyThreads()).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      assertThat(evaluator.run("other" + i % 3, () -> 7)).isEqualTo(7);
    }
    release.countDown();
    for (Future<Integer> one : greedy) {
      assertThat(one.get()).isEqualTo(1);
    }
    assertThat(evaluator.busyThreads()).isZero();
    assertThat(evaluator.refused()).isZero();
  }

  /** Those who wait take turns by owner, however many of one owner wait. */
  @Test
  void ownersTakeTurnsAtWaiting() throws Exception {
    Places places = new Places(1);
    assertThat(places.take("first", Duration.ZERO)).isTrue();
    AtomicInteger crowd = new AtomicInteger();
    List<Future<?>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      waiting.add(
          callers.submit(
              () -> {
                assertThat(places.take("crowd", Duration.ofMinutes(1))).isTrue();
                crowd.incrementAndGet();
                places.giveBack("crowd");
                return null;
              }));
    }
    Signals.poll("the crowd waits", () -> places.waiting() >= 20);
    Future<Integer> late =
        callers.submit(
            () -> {
              assertThat(places.take("late", Duration.ofMinutes(1))).isTrue();
              int before = crowd.get();
              places.giveBack("late");
              return before;
            });
    Signals.poll("the late one waits", () -> places.waiting() >= 21);
    places.giveBack("first");
    assertThat(late.get()).isLessThanOrEqualTo(1);
    for (Future<?> one : waiting) {
      one.get();
    }
    assertThat(places.free()).isEqualTo(1);
  }

  @Test
  void aCallerWithoutAThreadInTimeIsRefusedAsBusy() throws Exception {
    try (Evaluator hasty =
        new Evaluator(EvaluationLimits.DEFAULT.withPatience(Duration.ofMillis(1)), time)) {
      CountDownLatch two = new CountDownLatch(2);
      for (int i = 0; i < 2; i++) {
        blocked(hasty, "greedy", two);
      }
      two.await();
      assertThatThrownBy(() -> hasty.run("greedy", () -> 1)).isInstanceOf(EvaluationBusy.class);
      assertThat(hasty.refused()).isEqualTo(1);
      assertThat(hasty.waiting()).isZero();
      assertThat(hasty.run("other", () -> 1)).isEqualTo(1);
    }
  }

  @Test
  void stuckThreadsAreReportedAsExhausted() throws Exception {
    CountDownLatch all = new CountDownLatch(evaluator.threads());
    List<Future<Integer>> stuck = new ArrayList<>();
    for (int i = 0; i < evaluator.threads(); i++) {
      stuck.add(blocked("owner" + i, all));
    }
    all.await();
    assertThat(evaluator.isExhausted()).isFalse();
    nanos.addAndGet(Duration.ofSeconds(11).toNanos());
    assertThat(evaluator.isExhausted()).isTrue();
    release.countDown();
    for (Future<Integer> one : stuck) {
      one.get();
    }
    assertThat(evaluator.isExhausted()).isFalse();
  }

  /** The limit is low, so that a busy machine gives the processor time before the whole is late. */
  @Test
  void timeOfTheProcessorCountsAndWaitingDoesNot() {
    try (Evaluator hasty =
        new Evaluator(EvaluationLimits.DEFAULT.withTime(Duration.ofMillis(100)), time)) {
      assertThatThrownBy(
              () ->
                  hasty.run(
                      "a",
                      () -> {
                        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
                        return spin();
                      }))
          .isInstanceOf(BudgetExceeded.class)
          .hasMessageContaining("more than 100 ms");
      assertThatThrownBy(
              () ->
                  hasty.run(
                      "a",
                      () -> {
                        nanos.addAndGet(Duration.ofSeconds(4).toNanos());
                        Budget.current().check();
                        nanos.addAndGet(Duration.ofSeconds(4).toNanos());
                        return spin();
                      }))
          .isInstanceOf(EvaluationBusy.class);
    }
  }

  @Test
  void memoryIsLimited() {
    assertThatThrownBy(
            () ->
                evaluator.run(
                    "a",
                    () -> {
                      List<byte[]> kept = new ArrayList<>();
                      while (true) {
                        kept.add(new byte[1 << 20]);
                        Budget.current().check();
                      }
                    }))
        .isInstanceOf(BudgetExceeded.class)
        .hasMessageContaining("64 MB");
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int deep() {
    return deep() + 1;
  }

  @Test
  void endlessRecursionIsALimitToo() {
    assertThatThrownBy(() -> evaluator.run("a", EvaluatorTest::deep))
        .isInstanceOf(BudgetExceeded.class);
    assertThat(evaluator.run("a", () -> 1)).isEqualTo(1);
  }
}
