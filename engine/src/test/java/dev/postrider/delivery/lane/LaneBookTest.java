package dev.postrider.delivery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.testkit.ManualTime;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneBookTest {
  private static final Id ACME = new Id(9, 1);
  private static final Id OTHER = new Id(9, 2);
  private static final Id A = new Id(1, 1);
  private static final Id B = new Id(2, 2);
  private static final Id C = new Id(3, 3);

  private final ManualTime time = new ManualTime();
  private final LaneRoom room =
      new LaneRoom(new LaneRoom.Limits(100, 10, 1_000_000, new Share(0.2)), time);
  private final LaneBook book = new LaneBook();

  private List<Id> due(long nowMs, int limit) {
    List<Id> due = book.due(nowMs, limit, room).stream().map(LaneBook.Look::laneId).toList();
    due.forEach(book::served);
    return due;
  }

  private List<Id> due(long nowMs) {
    return due(nowMs, 64);
  }

  private LaneBook.Look look(Id lane) {
    return Objects.requireNonNull(book.look(lane));
  }

  @Test
  void lanesTakeTurns() {
    book.add(ACME, A, 0);
    book.add(ACME, B, 0);
    book.add(ACME, C, 0);

    assertThat(due(10, 2)).containsExactly(A, B);
    assertThat(due(10, 2)).containsExactly(C, A);
    assertThat(due(10, 2)).containsExactly(B, C);
  }

  @Test
  void aLaneThatGotNoPlaceKeepsItsTurn() {
    book.add(ACME, A, 0);
    book.add(ACME, B, 0);

    assertThat(book.due(10, 64, room)).extracting(LaneBook.Look::laneId).containsExactly(A, B);
    book.served(A);
    assertThat(book.due(10, 64, room)).extracting(LaneBook.Look::laneId).containsExactly(B, A);
  }

  @Test
  void applicationsTakeTurnsHoweverManyLanesOneHas() {
    for (int n = 0; n < 10_000; n++) {
      book.add(ACME, new Id(5, n), 0);
    }
    assertThat(due(10)).as("alone it fills a round").hasSize(64);

    for (int n = 0; n < 20; n++) {
      book.add(new Id(8, n), new Id(7, n), 5);
    }
    List<Id> round = due(10);
    assertThat(round.stream().filter(lane -> lane.equals(new Id(7, 0)))).hasSize(1);
    assertThat(round.stream().filter(lane -> lane.compareTo(new Id(6, 0)) < 0))
        .as("of the large one")
        .hasSizeLessThanOrEqualTo(LaneBook.LANES_PER_TURN);
    assertThat(round).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void anApplicationWithoutPlacesKeepsItsTurnAndDelaysNoOther() {
    for (int lane = 0; room.allowance(ACME) != LaneRoom.Allowance.NOTHING; lane++) {
      assertThat(room.reserve(ACME, new Id(4, lane), 10, 1)).isEqualTo(1);
    }
    book.add(ACME, A, 0);
    book.add(OTHER, B, 0);

    assertThat(due(10)).containsExactly(B);
    assertThat(book.anyDue()).isTrue();
    room.unreserve(new Id(4, 0), 1);
    assertThat(due(10)).containsExactly(A, B);
  }

  @Test
  void slowLanesWaitWhileQuickOnesAreServed() {
    for (int n = 0; n < 5; n++) {
      assertThat(room.reserve(ACME, A, 10, 1)).isEqualTo(1);
      room.sending(A);
    }
    book.add(ACME, A, 0);
    book.add(ACME, B, 0);
    assertThat(due(10)).containsExactly(A, B);

    time.advance(LaneRoom.SLOW_AFTER.plusMillis(1));

    assertThat(room.allowance(ACME)).isEqualTo(LaneRoom.Allowance.QUICK_LANES);
    assertThat(due(10)).containsExactly(B);
  }

  @Test
  void aFullLaneIsDueAgainWhenATryEnds() {
    book.add(ACME, A, 0);
    assertThat(due(10)).containsExactly(A);

    book.full(A);

    assertThat(due(10)).isEmpty();
    assertThat(book.hasBacklog(A, 10)).isTrue();
    book.add(ACME, A, 5);
    assertThat(due(10)).as("what arrives makes no room").isEmpty();
    book.roomIn(A);
    assertThat(due(10)).containsExactly(A);
    book.full(A);
    book.lookAtFullOnes();
    assertThat(due(10)).containsExactly(A);
  }

  @Test
  void whatArrivesDoesNotUnparkALane() {
    book.add(ACME, A, 0);
    book.lookAgain(look(A), 100, true);

    book.add(ACME, A, 5);

    assertThat(due(50)).isEmpty();
    assertThat(due(100)).containsExactly(A);
  }

  /** A rescued delivery that waits must not hold up the others of its lane. */
  @Test
  void unparkingForLaterDoesNotDelayWhatIsDueSooner() {
    book.add(ACME, A, 5);

    book.unpark(ACME, A, 1_000);

    assertThat(due(5)).containsExactly(A);
    book.lookAgain(look(A), 5_000, true);
    book.unpark(ACME, A, 1_000);
    assertThat(due(999)).isEmpty();
    assertThat(due(1_000)).containsExactly(A);
  }

  @Test
  void aTouchedEntryIsNotForgotten() {
    book.add(ACME, A, 0);
    LaneBook.Look seen = look(A);
    book.add(ACME, A, 0);

    book.forget(seen);
    assertThat(book.look(A)).isNotNull();
    book.forget(look(A));
    assertThat(book.look(A)).isNull();
  }

  /** A retry in an hour is no backlog: new deliveries may still be claimed at birth. */
  @Test
  void onlyWhatIsDueOrParkedIsBacklog() {
    book.add(ACME, A, 1_000);
    assertThat(book.hasBacklog(A, 999)).isFalse();
    assertThat(book.hasBacklog(A, 1_000)).isTrue();

    book.lookAgain(look(A), 5_000, true);
    assertThat(book.hasBacklog(A, 1_000)).as("parked").isTrue();
    assertThat(book.hasBacklog(B, 1_000)).isFalse();
  }

  @Test
  void signalsWhenALaneHasWorkEarlierThanWasKnown() {
    AtomicInteger signals = new AtomicInteger();
    book.onWork(signals::incrementAndGet);

    book.add(ACME, A, 100);
    book.add(ACME, A, 200);
    assertThat(signals).hasValue(1);
    book.add(ACME, A, 50);
    book.roomIn(A);
    book.roomIn(B);
    assertThat(signals).hasValue(3);
  }

  @Test
  void theLanesThatWaitLongestAreNamed() {
    book.add(ACME, A, 30);
    book.add(ACME, B, 10);
    book.add(ACME, C, 99);

    assertThat(book.waitingSince(50, 10)).containsExactly(B, A);
  }
}
