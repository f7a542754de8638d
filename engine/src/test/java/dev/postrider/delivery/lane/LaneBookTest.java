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

  private final ManualTime time = new ManualTime();
  private final LaneRoom room =
      new LaneRoom(new LaneRoom.Limits(100, 10, 1_000_000, new Share(0.2)), time);
  private final LaneBook book = new LaneBook();
  private final Lane a = lane(ACME, new Id(1, 1));
  private final Lane b = lane(ACME, new Id(2, 2));
  private final Lane c = lane(ACME, new Id(3, 3));

  private Lane lane(Id application, Id id) {
    return room.lanes().of(application, id);
  }

  private List<Lane> due(long nowMs, int limit) {
    List<Lane> due = book.due(nowMs, limit, room).stream().map(LaneBook.Look::lane).toList();
    due.forEach(book::served);
    return due;
  }

  private List<Lane> due(long nowMs) {
    return due(nowMs, 64);
  }

  private LaneBook.Look look(Lane lane) {
    return Objects.requireNonNull(book.look(lane));
  }

  @Test
  void lanesTakeTurns() {
    book.add(a, 0);
    book.add(b, 0);
    book.add(c, 0);

    assertThat(due(10, 2)).containsExactly(a, b);
    assertThat(due(10, 2)).containsExactly(c, a);
    assertThat(due(10, 2)).containsExactly(b, c);
  }

  @Test
  void aLaneWithoutAPlaceIsServedFirstNextTime() {
    book.add(a, 0);
    book.add(b, 0);

    assertThat(book.due(10, 64, room)).extracting(LaneBook.Look::lane).containsExactly(a, b);
    book.served(a);
    assertThat(book.due(10, 64, room)).extracting(LaneBook.Look::lane).containsExactly(b, a);
  }

  @Test
  void applicationsTakeTurnsHoweverManyLanesOneHas() {
    for (int n = 0; n < 10_000; n++) {
      book.add(lane(ACME, new Id(5, n)), 0);
    }
    assertThat(due(10)).as("alone it fills a round").hasSize(64);

    for (int n = 0; n < 20; n++) {
      book.add(lane(new Id(8, n), new Id(7, n)), 5);
    }
    List<Lane> round = due(10);
    assertThat(round.stream().filter(lane -> lane.id().equals(new Id(7, 0)))).hasSize(1);
    assertThat(round.stream().filter(lane -> lane.id().compareTo(new Id(6, 0)) < 0))
        .as("of the large one")
        .hasSizeLessThanOrEqualTo(LaneBook.LANES_PER_TURN);
    assertThat(round).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void anApplicationWithoutPlacesIsServedFirstNextTimeAndDelaysNoOther() {
    for (int n = 0; room.allowance(ACME) != LaneRoom.Allowance.NOTHING; n++) {
      assertThat(room.reserve(lane(ACME, new Id(4, n)), 10, 1)).isEqualTo(1);
    }
    Lane other = lane(OTHER, new Id(5, 5));
    book.add(a, 0);
    book.add(other, 0);

    assertThat(due(10)).containsExactly(other);
    assertThat(book.anyDue()).isTrue();
    room.unreserve(lane(ACME, new Id(4, 0)), 1);
    assertThat(due(10)).containsExactly(a, other);
  }

  @Test
  void slowLanesWaitWhileQuickOnesAreServed() {
    for (int n = 0; n < 5; n++) {
      assertThat(room.reserve(a, 10, 1)).isEqualTo(1);
      room.sending(a);
    }
    book.add(a, 0);
    book.add(b, 0);
    assertThat(due(10)).containsExactly(a, b);

    time.advance(LaneRoom.SLOW_AFTER.plusMillis(1));

    assertThat(room.allowance(ACME)).isEqualTo(LaneRoom.Allowance.QUICK_LANES);
    assertThat(due(10)).containsExactly(b);
  }

  @Test
  void aFullLaneIsDueAgainWhenAnAttemptEnds() {
    book.add(a, 0);
    assertThat(due(10)).containsExactly(a);

    book.full(a);

    assertThat(due(10)).isEmpty();
    assertThat(a.hasBacklog(10)).isTrue();
    book.add(a, 5);
    assertThat(due(10)).as("what arrives makes no room").isEmpty();
    book.roomIn(a);
    assertThat(due(10)).containsExactly(a);
    book.full(a);
    book.lookAtFullOnes();
    assertThat(due(10)).containsExactly(a);
  }

  @Test
  void newDeliveriesDoNotUnparkALane() {
    book.add(a, 0);
    book.lookAgain(look(a), 100, true);

    book.add(a, 5);

    assertThat(due(50)).isEmpty();
    assertThat(due(100)).containsExactly(a);
  }

  /** A rescued delivery that waits must not hold up the others of its lane. */
  @Test
  void unparkingForLaterDoesNotDelayWhatIsDueSooner() {
    book.add(a, 5);

    book.unpark(a, 1_000);

    assertThat(due(5)).containsExactly(a);
    book.lookAgain(look(a), 5_000, true);
    book.unpark(a, 1_000);
    assertThat(due(999)).isEmpty();
    assertThat(due(1_000)).containsExactly(a);
  }

  @Test
  void aTouchedEntryIsNotForgotten() {
    book.add(a, 0);
    LaneBook.Look seen = look(a);
    book.add(a, 0);

    book.forget(seen);
    assertThat(book.look(a)).isNotNull();
    book.forget(look(a));
    assertThat(book.look(a)).isNull();
  }

  /** A retry in an hour does not count as backlog: new deliveries may still be leased at insert. */
  @Test
  void onlyWhatIsDueOrParkedIsBacklog() {
    book.add(a, 1_000);
    assertThat(a.hasBacklog(999)).isFalse();
    assertThat(a.hasBacklog(1_000)).isTrue();

    book.lookAgain(look(a), 5_000, true);
    assertThat(a.hasBacklog(1_000)).as("parked").isTrue();
    assertThat(b.hasBacklog(1_000)).isFalse();
  }

  @Test
  void signalsWhenALaneHasWorkEarlierThanWasKnown() {
    AtomicInteger signals = new AtomicInteger();
    book.onWork(signals::incrementAndGet);

    book.add(a, 100);
    book.add(a, 200);
    assertThat(signals).hasValue(1);
    book.add(a, 50);
    book.roomIn(a);
    book.roomIn(b);
    assertThat(signals).hasValue(3);
  }

  @Test
  void theLanesThatWaitLongestAreNamed() {
    book.add(a, 30);
    book.add(b, 10);
    book.add(c, 99);

    assertThat(book.waitingSince(50, 10)).containsExactly(b.id(), a.id());
  }
}
