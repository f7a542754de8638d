package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.time.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SingleFlightTest {
  private final SystemTime time = new SystemTime();
  private final AtomicInteger begun = new AtomicInteger();
  private final Semaphore going = new Semaphore(0);
  private final Semaphore allowed = new Semaphore(0);
  @AutoClose private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  private void slowLook() {
    begun.incrementAndGet();
    going.release();
    allowed.acquireUninterruptibly();
  }

  @Test
  void aCallDuringALoadWaitsForTheNextLoad() throws Exception {
    SingleFlight look = new SingleFlight(this::slowLook, time);
    Future<?> first = callers.submit(look::take);
    going.acquire();
    AtomicLong seen = new AtomicLong();
    Future<?> second =
        callers.submit(
            () -> {
              look.take();
              seen.set(begun.get());
            });
    allowed.release();
    first.get();
    assertThat(second.isDone()).as("not with a look that began before").isFalse();
    going.acquire();
    allowed.release();
    second.get();
    assertThat(seen).hasValue(2);
  }

  @Test
  void allWaitingCallersShareOneLoad() throws Exception {
    SingleFlight look = new SingleFlight(this::slowLook, time);
    Future<?> first = callers.submit(look::take);
    going.acquire();
    CountDownLatch came = new CountDownLatch(100);
    List<Future<?>> others = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      others.add(
          callers.submit(
              () -> {
                came.countDown();
                look.take();
              }));
    }
    came.await();
    allowed.release(102);
    first.get();
    for (Future<?> other : others) {
      other.get();
    }
    // One for all, and at most a few for those who were counted but had not asked yet.
    assertThat(begun.get()).isBetween(2, 10);
  }

  @Test
  void aFloodCausesFiftyLoadsASecond() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    SingleFlight look = new SingleFlight(looks::incrementAndGet, time);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong asked = new AtomicLong();
    long from = time.nanos();
    List<Future<?>> strangers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      strangers.add(
          callers.submit(
              () -> {
                while (!stop.get()) {
                  look.take();
                  asked.incrementAndGet();
                }
              }));
    }
    while (asked.get() < 1_000) {
      callers.submit(look::take).get();
    }
    stop.set(true);
    for (Future<?> stranger : strangers) {
      stranger.get();
    }
    long pauses = (time.nanos() - from) / SingleFlight.PAUSE_NANOS;
    assertThat(looks.get()).isLessThanOrEqualTo((int) pauses + 1);
  }

  @Test
  void aFailureReachesItsOwnWaitersOnly() throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    SingleFlight look =
        new SingleFlight(
            () -> {
              if (away.get()) {
                throw new DatabaseUnavailable("gone");
              }
            },
            time);
    assertThatThrownBy(look::take).isInstanceOf(DatabaseUnavailable.class);
    away.set(false);
    look.take();
    assertThat(callers.submit(look::take).get(60, TimeUnit.SECONDS)).isNull();
  }
}
