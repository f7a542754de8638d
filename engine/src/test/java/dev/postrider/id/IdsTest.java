package dev.postrider.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.time.TimeSource;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Sixteen bytes in the order of time, and their text (engine rule 7). */
class IdsTest {
  private static final long NOON = 1_800_000_000_000L;

  /** A wall clock that the test sets. */
  private static final class Clock implements TimeSource {
    final AtomicLong now = new AtomicLong(NOON);

    @Override
    public long nowMs() {
      return now.get();
    }

    @Override
    public long nanos() {
      return 0;
    }
  }

  private final Clock clock = new Clock();
  private final Ids ids = new Ids(clock::nowMs, new SplittableRandom(42));

  @Test
  void theFirstFiveBytesAreTheTimeOfAKsuid() {
    clock.now.set(1_400_000_000_000L + 0x0A0B0C0DL * 1_000 + 999);
    byte[] bytes = ids.next().bytes();
    assertThat(bytes).hasSize(16);
    assertThat(bytes[0]).isEqualTo((byte) 0x0A);
    assertThat(bytes[1]).isEqualTo((byte) 0x0B);
    assertThat(bytes[2]).isEqualTo((byte) 0x0C);
    assertThat(bytes[3]).isEqualTo((byte) 0x0D);
    assertThat(bytes[4]).as("4 ms ticks").isEqualTo((byte) (999 / 4));
  }

  @Test
  void itsTimeIsExactToFourMilliseconds() {
    for (long ms : new long[] {NOON, NOON + 3, NOON + 4, NOON + 999, NOON + 123_456_789}) {
      clock.now.set(ms);
      Id id = new Ids(clock::nowMs, new SplittableRandom(ms)).next();
      assertThat(id.epochMs()).isBetween(ms - 3, ms);
      assertThat(Id.floorOf(ms)).isLessThanOrEqualTo(id);
      assertThat(Id.floorOf(ms + 4)).isGreaterThan(id);
    }
  }

  @Test
  void sortsByTimeAsBytesAsTextAndAsUuid() {
    List<Id> made = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      clock.now.addAndGet(i % 7 == 0 ? 1_000_003 : i % 3);
      made.add(ids.next());
    }
    assertThat(made).isSorted();
    assertThat(made.stream().map(id -> id.text(IdKind.MESSAGE))).isSorted();
    assertThat(made.stream().map(id -> new BigInteger(1, id.bytes()))).isSorted();
    assertThat(made.stream().map(Id::uuid).map(UUID::toString)).isSorted();
  }

  @Test
  void neverGoesBackWhenTheClockDoes() {
    Id before = ids.next();
    clock.now.addAndGet(-86_400_000);
    for (int i = 0; i < 1_000; i++) {
      Id next = ids.next();
      assertThat(next).isGreaterThan(before);
      before = next;
    }
    clock.now.set(NOON + 60_000);
    assertThat(ids.next().epochMs()).as("and follows it again").isEqualTo(NOON + 60_000);
  }

  @Test
  void isMonotonicWithinATickAndOverThreads() throws Exception {
    int threads = 8;
    Set<Id> all = Collections.synchronizedSet(new HashSet<>());
    try (ExecutorService makers = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        running.add(
            makers.submit(
                () -> {
                  Id last = Id.ZERO;
                  for (int i = 0; i < 5_000; i++) {
                    Id next = ids.next();
                    assertThat(next).isGreaterThan(last);
                    all.add(new Id(next.hi(), 0));
                    last = next;
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
    assertThat(all).as("no high word is given twice").hasSize(threads * 5_000);
  }

  @Test
  void theTextIsAPrefixAnd27CharactersAndReadsBack() {
    for (int i = 0; i < 500; i++) {
      clock.now.addAndGet(77_777);
      Id id = ids.next();
      String text = id.text(IdKind.MESSAGE);
      assertThat(text).matches("msg_[0-9A-Za-z]{27}");
      assertThat(Id.parse(IdKind.MESSAGE, text)).isEqualTo(id);
      assertThat(Id.parse(IdKind.ENDPOINT, text)).as("another kind's prefix").isNull();
    }
    Id last = new Id(-1, -1);
    assertThat(Id.parse(IdKind.MESSAGE, last.text(IdKind.MESSAGE))).isEqualTo(last);
    assertThat(Id.parse(IdKind.MESSAGE, Id.ZERO.text(IdKind.MESSAGE))).isEqualTo(Id.ZERO);
  }

  /** Every text that differs from a real one in one place, or by two neighbours changing places. */
  @Test
  void aTypingErrorIsNoId() {
    String text = ids.next().text(IdKind.MESSAGE);
    String alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int at = 4; at < text.length(); at++) {
      for (char c : alphabet.toCharArray()) {
        if (c != text.charAt(at)) {
          assertNoId(text.substring(0, at) + c + text.substring(at + 1));
        }
      }
      if (at > 4 && text.charAt(at) != text.charAt(at - 1)) {
        assertNoId(
            text.substring(0, at - 1)
                + text.charAt(at)
                + text.charAt(at - 1)
                + text.substring(at + 1));
      }
    }
    assertNoId(text.substring(0, text.length() - 1));
    assertNoId(text + "0");
    assertNoId(text.substring(0, 10) + "-" + text.substring(11));
    assertNoId("msg_" + "z".repeat(27)); // more than twenty bytes hold
  }

  private static void assertNoId(String text) {
    assertThat(Id.parse(IdKind.MESSAGE, text)).as(text).isNull();
  }
}
