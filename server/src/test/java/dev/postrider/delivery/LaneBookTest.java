package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneBookTest {
  private static final Id A = new Id(1, 1);
  private static final Id B = new Id(2, 2);
  private static final Id C = new Id(3, 3);

  private final LaneBook book = new LaneBook();

  private List<Id> due(Id after, long nowMs) {
    return book.due(after, nowMs, 10, lane -> true).stream().map(Map.Entry::getKey).toList();
  }

  @Test
  void startsAfterTheLastLaneServedAndWraps() {
    book.add(A, 0);
    book.add(B, 0);
    book.add(C, 0);

    assertThat(due(A, 10)).containsExactly(B, C, A);
    assertThat(due(C, 10)).containsExactly(A, B, C);
    assertThat(book.due(B, 10, 2, lane -> true))
        .extracting(Map.Entry::getKey)
        .containsExactly(C, A);
  }

  @Test
  void whatArrivesDoesNotUnparkALane() {
    book.add(A, 0);
    book.lookAgain(A, book.entry(A), 100, true);

    book.add(A, 5);

    assertThat(due(Id.ZERO, 50)).isEmpty();
    assertThat(due(Id.ZERO, 100)).containsExactly(A);
  }

  /** A rescued delivery that waits must not hold up the others of its lane. */
  @Test
  void unparkingForLaterDoesNotDelayWhatIsDueSooner() {
    book.add(A, 5);

    book.unpark(A, 1_000);

    assertThat(due(Id.ZERO, 5)).containsExactly(A);
    book.lookAgain(A, book.entry(A), 5_000, true);
    book.unpark(A, 1_000);
    assertThat(due(Id.ZERO, 999)).isEmpty();
    assertThat(due(Id.ZERO, 1_000)).containsExactly(A);
  }

  @Test
  void aTouchedEntryIsNotForgotten() {
    book.add(A, 0);
    LaneBook.Entry seen = book.entry(A);
    book.add(A, 0);

    book.forget(A, seen);
    assertThat(book.entry(A)).isNotNull();
    book.forget(A, book.entry(A));
    assertThat(book.entry(A)).isNull();
  }

  /** A retry in an hour is no backlog: new deliveries may still be claimed at birth. */
  @Test
  void onlyWhatIsDueOrParkedIsBacklog() {
    book.add(A, 1_000);
    assertThat(book.hasBacklog(A, 999)).isFalse();
    assertThat(book.hasBacklog(A, 1_000)).isTrue();

    book.lookAgain(A, book.entry(A), 5_000, true);
    assertThat(book.hasBacklog(A, 1_000)).as("parked").isTrue();
    assertThat(book.hasBacklog(B, 1_000)).isFalse();
  }

  @Test
  void signalsWhenALaneHasWorkEarlierThanWasKnown() {
    AtomicInteger signals = new AtomicInteger();
    book.onWork(signals::incrementAndGet);

    book.add(A, 100);
    book.add(A, 200);
    assertThat(signals).hasValue(1);
    book.add(A, 50);
    book.roomIn(A);
    book.roomIn(B);
    assertThat(signals).hasValue(3);
  }
}
