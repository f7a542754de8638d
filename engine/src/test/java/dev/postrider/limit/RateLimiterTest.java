package dev.postrider.limit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterTest {
  private static final long SECOND = 1_000_000_000;

  @ParameterizedTest
  @ValueSource(longs = {0, -5 * SECOND, Long.MAX_VALUE - SECOND / 2})
  void grantsABurstAndThenOneInEachInterval(long now) {
    RateLimiter<String> limiter = refusing(10);
    long third = SECOND / 3;
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.acquire("a", now, third, SECOND)).isZero();
    }
    long wait = limiter.acquire("a", now, third, SECOND);
    assertThat(wait).isEqualTo(third - 1);
    assertThat(limiter.isAvailable("a", now, third, SECOND)).isFalse();
    assertThat(limiter.acquire("b", now, third, SECOND)).as("another key").isZero();
    assertThat(limiter.acquire("a", now + wait - 1, third, SECOND)).isEqualTo(1);
    assertThat(limiter.isAvailable("a", now + wait, third, SECOND)).isTrue();
    assertThat(limiter.acquire("a", now + wait, third, SECOND)).isZero();
    assertThat(limiter.acquire("a", now + wait, third, SECOND)).isPositive();
  }

  @Test
  void inAnyWindowAtMostRateTimesWindowPlusBurst() {
    RateLimiter<String> limiter = refusing(10);
    Random random = new Random(7);
    long interval = SECOND / 20;
    ArrayDeque<Long> lastSecond = new ArrayDeque<>();
    long now = 0;
    for (int i = 0; i < 50_000; i++) {
      now += random.nextLong(interval / 2);
      if (limiter.acquire("a", now, interval, SECOND / 4) == 0) {
        lastSecond.add(now);
      }
      while (!lastSecond.isEmpty() && lastSecond.peek() <= now - SECOND) {
        lastSecond.poll();
      }
      assertThat(lastSecond.size()).isLessThanOrEqualTo(20 + 5);
    }
  }

  @Test
  void aFasterRateHoldsAtOnce() {
    RateLimiter<String> limiter = refusing(10);
    assertThat(limiter.acquire("a", 0, 3_600 * SECOND, 3_600 * SECOND)).isZero();
    assertThat(limiter.acquire("a", 0, SECOND, SECOND)).isEqualTo(SECOND);
    assertThat(limiter.acquire("a", SECOND, SECOND, SECOND)).as("not in an hour").isZero();
  }

  @Test
  void unusedKeysMakeRoom() {
    RateLimiter<Integer> limiter = refusing(100);
    for (int key = 0; key < 100; key++) {
      assertThat(limiter.acquire(key, 0, SECOND, SECOND)).isZero();
    }
    assertThat(limiter.acquire(100, 1, SECOND, SECOND)).as("all are in use").isPositive();
    assertThat(limiter.acquire(5, SECOND, SECOND, SECOND)).as("a known key").isZero();
    assertThat(limiter.acquire(100, SECOND, SECOND, SECOND)).isZero();
    assertThat(limiter.size()).isEqualTo(2);
    assertThat(limiter.acquire(5, SECOND, SECOND, SECOND)).as("kept").isPositive();
  }

  @Test
  void ownKeysAreForgottenRatherThanRefused() {
    RateLimiter<Integer> limiter = new RateLimiter<>(100, RateLimiter.WhenFull.FORGET_ALL);
    for (int key = 0; key < 1_000; key++) {
      assertThat(limiter.acquire(key, 0, SECOND, SECOND)).isZero();
      assertThat(limiter.size()).isLessThanOrEqualTo(100);
    }
  }

  @Test
  void neverGrantsMoreToManyThreads() throws Exception {
    RateLimiter<String> limiter = refusing(10);
    List<Callable<Integer>> takers = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      takers.add(
          () -> {
            int taken = 0;
            for (int i = 0; i < 1_000; i++) {
              taken += limiter.acquire("a", 0, SECOND / 1_000, SECOND) == 0 ? 1 : 0;
            }
            return taken;
          });
    }
    int taken = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (Future<Integer> one : threads.invokeAll(takers)) {
        taken += one.get();
      }
    }
    assertThat(taken).isEqualTo(1_000);
  }

  @Test
  void aCallForAKnownKeyAllocatesNothing() {
    RateLimiter<String> limiter = refusing(10);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long blocked = 0;
    for (int i = 0; i < 1_000; i++) {
      blocked += limiter.acquire("a", i, 10, 100);
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 100_000; i++) {
      blocked += limiter.acquire("a", i, 10, 100);
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(blocked).isPositive();
    assertThat(allocated).as("bytes in 100,000 calls").isLessThan(100_000);
  }

  private static <K> RateLimiter<K> refusing(int maxKeys) {
    return new RateLimiter<>(maxKeys, RateLimiter.WhenFull.REFUSE);
  }
}
