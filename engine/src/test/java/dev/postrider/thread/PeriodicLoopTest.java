package dev.postrider.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.time.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeriodicLoopTest {
  private static final long LONG_MS = TimeUnit.HOURS.toMillis(1);

  private final List<PeriodicLoop> started = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(PeriodicLoop::stop);
    assertThat(started).noneMatch(PeriodicLoop::isRunning);
  }

  @Test
  void runsOnAThreadOfItsNameUntilItIsStopped() throws Exception {
    BlockingQueue<Thread> turns = new LinkedBlockingQueue<>();
    PeriodicLoop loop =
        start(
            new PeriodicLoop(
                "some-loop",
                () -> {
                  turns.add(Thread.currentThread());
                  return 1;
                }));

    Thread thread = take(turns);
    assertThat(take(turns)).isSameAs(thread);
    assertThat(thread.getName()).isEqualTo("some-loop");
    assertThat(thread.isDaemon()).isTrue();
    loop.stop();
    assertThat(thread.isAlive()).isFalse();
    assertThat(loop.isRunning()).isFalse();
  }

  @Test
  void aWakeDuringATurnIsNotLost() throws Exception {
    BlockingQueue<Integer> turns = new LinkedBlockingQueue<>();
    Semaphore go = new Semaphore(0);
    AtomicInteger count = new AtomicInteger();
    PeriodicLoop loop =
        start(
            new PeriodicLoop(
                "woken",
                () -> {
                  turns.add(count.incrementAndGet());
                  go.acquire();
                  return PeriodicLoop.UNTIL_WOKEN;
                }));
    take(turns);
    loop.wake();
    loop.wake();
    go.release();
    assertThat(take(turns)).as("woken while it was busy").isEqualTo(2);
    go.release();
    assertThat(turns.poll(50, TimeUnit.MILLISECONDS)).as("two wakes are one turn").isNull();
    loop.wake();
    assertThat(take(turns)).isEqualTo(3);
    go.release(100);
  }

  @Test
  void survivesErrorsAndWaitsLongerAfterEach() throws Exception {
    BlockingQueue<Long> turns = new LinkedBlockingQueue<>();
    AtomicInteger count = new AtomicInteger();
    start(
        new PeriodicLoop(
            "failing",
            () -> {
              turns.add(System.nanoTime());
              switch (count.incrementAndGet()) {
                case 1 -> throw new Passing();
                case 2 -> throw new StackOverflowError("test");
                case 3 -> throw new Exception("test");
                default -> {
                  return LONG_MS;
                }
              }
            },
            PeriodicLoop.Options.DEFAULT.afterFault(Backoff.ofMillis(20, 40))));
    long first = take(turns);
    long second = take(turns);
    long third = take(turns);
    long fourth = take(turns);
    assertThat(second - first).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(19));
    assertThat(third - second).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(39));
    assertThat(fourth - third).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(39));
  }

  @Test
  void aLoopThatFailsIsNotMadeToSpinByThoseWhoWakeIt() throws Exception {
    AtomicInteger count = new AtomicInteger();
    CountDownLatch failed = new CountDownLatch(1);
    PeriodicLoop[] self = new PeriodicLoop[1];
    self[0] =
        new PeriodicLoop(
            "failing",
            () -> {
              self[0].wake();
              count.incrementAndGet();
              failed.countDown();
              throw new Passing();
            },
            PeriodicLoop.Options.DEFAULT.afterFault(Backoff.ofMillis(LONG_MS, LONG_MS)));
    start(self[0]);
    assertThat(failed.await(10, TimeUnit.SECONDS)).isTrue();
    self[0].stop();
    assertThat(count.get()).isEqualTo(1);
  }

  @Test
  void finishesWhatIsLeftBeforeItEnds() {
    ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
    List<String> done = new CopyOnWriteArrayList<>();
    CountDownLatch first = new CountDownLatch(1);
    PeriodicLoop loop =
        start(
            new PeriodicLoop(
                "draining",
                () -> {
                  first.await();
                  Integer next = queue.poll();
                  done.add(String.valueOf(next));
                  return 0;
                },
                PeriodicLoop.Options.DEFAULT
                    .nonDaemon()
                    .endsWhen(queue::isEmpty)
                    .atEnd(() -> done.add("end on " + Thread.currentThread().getName()))));
    queue.addAll(List.of(1, 2, 3));
    loop.requestStop();
    assertThat(loop.isStopping()).isTrue();
    assertThat(loop.isRunning()).isTrue();
    first.countDown();
    loop.stop();
    assertThat(done).containsExactly("1", "2", "3", "end on draining");
  }

  @Test
  void doesNotWaitForALongTurnWithoutLimit() throws Exception {
    CountDownLatch inTurn = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    PeriodicLoop loop =
        start(
            new PeriodicLoop(
                "long",
                () -> {
                  inTurn.countDown();
                  go.await();
                  return LONG_MS;
                }));
    assertThat(inTurn.await(10, TimeUnit.SECONDS)).isTrue();
    loop.stop(Duration.ZERO);
    assertThat(loop.isRunning()).isTrue();
    go.countDown();
  }

  private static final class Passing extends Exception implements TemporaryFault {
    private static final long serialVersionUID = 1;
  }

  private PeriodicLoop start(PeriodicLoop loop) {
    started.add(loop);
    loop.start();
    return loop;
  }

  private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(10, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }
}
