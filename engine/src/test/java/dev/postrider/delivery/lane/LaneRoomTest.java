package dev.postrider.delivery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.lane.LaneRoom.Allowance;
import dev.postrider.delivery.lane.LaneRoom.RunningTry;
import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds of engine rules 14a and 14b. */
class LaneRoomTest {
  private static final int PLACES = 20_000;
  private static final long BYTES = 64L << 20;
  private static final int CAP = 10_000;

  private final ManualTime time = new ManualTime();
  private final LaneRoom room = room(PLACES, 0.2);

  private LaneRoom room(int places, double share) {
    return new LaneRoom(new LaneRoom.Limits(places, 100, BYTES, new Share(share)), time);
  }

  private static Id application(int n) {
    return new Id(1, n);
  }

  private Lane lane(int application, int n) {
    return lane(room, application, n);
  }

  private static Lane lane(LaneRoom in, int application, int n) {
    return in.lanes().of(application(application), new Id(2 + application, n));
  }

  /**
   * Takes what it gets, over as many lanes as it needs, and sends it to receivers that hang;
   * returns how much that was.
   */
  private int takeAll(LaneRoom from, int application, int size) {
    int taken = 0;
    for (int n = 0; n < PLACES; n++) {
      int before = taken;
      while (from.tryTake(lane(from, application, n), CAP, size)) {
        from.sending(lane(from, application, n));
        taken++;
      }
      if (taken == before) {
        return taken;
      }
    }
    return taken;
  }

  @Test
  void anApplicationAloneReachesAFifth() {
    assertThat(takeAll(room, 1, 0)).isEqualTo(PLACES / 5);
    assertThat(room.allowance(application(1))).isEqualTo(Allowance.NOTHING);
    assertThat(room.allowance(application(2))).isEqualTo(Allowance.ALL_LANES);
    room.leaseEnded(lane(1, 0), 0);
    assertThat(room.allowance(application(1))).isEqualTo(Allowance.ALL_LANES);
  }

  @Test
  void bytesAreSharedLikePlaces() {
    int size = 1 << 20;
    assertThat(takeAll(room, 1, size)).isEqualTo(13);
    assertThat(room.freeBytes(application(1))).isZero();
    assertThat(room.freeBytes(application(2)))
        .isBetween((BYTES - 13L * size) / 5, (BYTES - 13L * size) / 5 + 1);
    assertThat(room.tryTake(lane(2, 0), CAP, size)).isTrue();
  }

  @Test
  void aShareOfOneIsNoLimit() {
    assertThat(takeAll(room(100, 1), 1, 0)).isEqualTo(100);
  }

  /** Twenty applications take all they get and give nothing back; ten are modest. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aModestApplicationIsNeverRefused(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int modest = 16;
    int[] held = new int[30];
    for (int step = 0; step < 60_000; step++) {
      int application = random.nextInt(30);
      boolean greedy = application < 20;
      if (!greedy && held[application] > 0 && random.nextBoolean()) {
        held[application]--;
        room.tryEnded(lane(application, 0));
        room.leaseEnded(lane(application, 0), 100);
      } else if (greedy || held[application] < modest) {
        int lane = greedy ? random.nextInt(500) : 0;
        boolean taken = room.tryTake(lane(application, lane), CAP, 100);
        if (taken && greedy) {
          room.sending(lane(application, lane));
        }
        held[application] += taken ? 1 : 0;
        assertThat(taken || greedy).as("step %d, application %d", step, application).isTrue();
      }
    }
    assertThat(room.leased()).isLessThan(PLACES);
  }

  @Test
  void aNewLaneGetsMoreWithEachQuickAnswer() {
    assertThat(room.reserve(lane(1, 1), 18, 50)).isEqualTo(16);
    answer(room.sending(lane(1, 1)), Duration.ofMillis(999));
    assertThat(room.reserve(lane(1, 1), 18, 50)).isEqualTo(1);
    RunningTry refused = room.sending(lane(1, 1));
    room.sent(refused, false);
    assertThat(lane(1, 1).isFull(18)).as("no answer, no more").isTrue();
    answer(room.sending(lane(1, 1)), Duration.ZERO);
    answer(room.sending(lane(1, 1)), Duration.ZERO);
    assertThat(room.reserve(lane(1, 1), 18, 50)).as("its cap").isEqualTo(1);
  }

  private void answer(RunningTry running, Duration after) {
    time.advance(after);
    room.sent(running, true);
  }

  @Test
  void aLaneIsSlowDuringALongAttempt() {
    assertThat(room.reserve(lane(1, 1), CAP, 2)).isEqualTo(2);
    RunningTry first = room.sending(lane(1, 1));
    assertThat(slow()).isFalse();

    time.advance(Duration.ofMillis(1_001));

    assertThat(slow()).isTrue();
    assertThat(room.slowLeased()).isEqualTo(2);
    room.sent(first, true);
    for (int answers = 1; answers <= 8; answers++) {
      assertThat(slow()).as("after %d quick answers", answers - 1).isTrue();
      answer(room.sending(lane(1, 1)), Duration.ofMillis(5));
    }
    assertThat(slow()).isFalse();
    assertThat(room.slowLeased()).isZero();
  }

  private boolean slow() {
    assertThat(room.allowance(application(1))).isNotNull(); // looks at what runs
    return lane(1, 1).isSlow();
  }

  @Test
  void slowLanesHoldATwentiethPerApplicationAndHalfInAll() {
    for (int application = 1; application <= 20; application++) {
      makeSlow(application);
    }
    List<Integer> taken = new ArrayList<>();
    for (int application = 1; application <= 20; application++) {
      taken.add(takeSlow(application));
    }
    assertThat(taken.getFirst()).isEqualTo(PLACES / 20 - 1);
    assertThat(taken).allSatisfy(count -> assertThat(count).isBetween(16, PLACES / 20 - 1));
    assertThat(room.slowLeased()).isLessThan(PLACES / 2);
    assertThat(room.reserve(lane(1, 99), CAP, 16))
        .as("a quick lane of the same application")
        .isEqualTo(16);
  }

  /** One try that hangs in a lane of its own. */
  private void makeSlow(int application) {
    assertThat(room.reserve(lane(application, 0), CAP, 1)).isEqualTo(1);
    room.sending(lane(application, 0));
    time.advance(Duration.ofMillis(1_001));
  }

  /** Through one slow lane that has shown before that it can do much. */
  private int takeSlow(int application) {
    int taken = 0;
    Lane lane = lane(application, 0);
    while (true) {
      int more = room.reserve(lane, CAP, 50);
      for (int n = 0; n < more; n++) {
        room.sending(lane);
      }
      taken += more;
      if (more == 0 && !lane.isFull(CAP)) {
        return taken;
      }
      RunningTry quick = room.sending(lane);
      room.sent(quick, true);
    }
  }

  @Test
  void anApplicationAloneMayHaveManyAttemptsInProgress() {
    assertThat(claimAll(1)).isEqualTo(LaneRoom.BEHIND);
  }

  @Test
  void activeApplicationsShareTheAttemptsInProgress() {
    for (int other = 2; other <= 101; other++) {
      assertThat(room.tryTake(lane(other, 0), CAP, 0)).isTrue();
    }
    time.advance(Duration.ofMillis(200));
    List<String> woken = new ArrayList<>();
    room.onHandFree(() -> woken.add("claimer"));

    assertThat(claimAll(1)).isEqualTo(LaneRoom.MIN_IN_HAND);
    assertThat(room.allowance(application(1))).isEqualTo(Allowance.NOTHING);
    assertThat(room.allowance(application(2))).isEqualTo(Allowance.ALL_LANES);

    List<RunningTry> atReceivers = new ArrayList<>();
    for (int n = 0; n < 31; n++) {
      atReceivers.add(room.sending(lane(1, n / 16)));
    }
    assertThat(room.reserve(lane(1, 99), CAP, 50)).as("not yet half").isZero();
    room.sent(atReceivers.getFirst(), false);
    room.sending(lane(1, 2));
    assertThat(woken).as("what failed is in hand again").isEmpty();
    room.sending(lane(1, 2));
    assertThat(woken).as("half of it is free").hasSize(1);
    assertThat(room.allowance(application(1))).isEqualTo(Allowance.ALL_LANES);

    time.advance(Duration.ofSeconds(2));
    assertThat(room.reserve(lane(1, 100), CAP, 1)).isEqualTo(1);
    time.advance(Duration.ofMillis(200));
    assertThat(claimAll(1)).as("the others are no longer active").isGreaterThan(900);
  }

  /** Claims from new lanes until nothing more is given. */
  private int claimAll(int application) {
    int claimed = 0;
    for (int n = 0; n < PLACES; n++) {
      int more = room.reserve(lane(application, n), CAP, 50);
      if (more == 0 && !lane(application, n).isFull(CAP)) {
        return claimed;
      }
      claimed += more;
    }
    return claimed;
  }

  @Test
  void aLaneIsForgottenAfterTenIdleMinutes() {
    RunningTry slow = null;
    assertThat(room.reserve(lane(1, 1), CAP, 1)).isEqualTo(1);
    slow = room.sending(lane(1, 1));
    answer(slow, Duration.ofSeconds(2));
    room.unreserve(lane(1, 1), 1);
    assertThat(lane(1, 1).isSlow()).isTrue();

    time.advance(Duration.ofMinutes(10).plusMillis(1));
    assertThat(room.reserve(lane(2, 2), CAP, 1)).isEqualTo(1);

    assertThat(lane(1, 1).isSlow()).isFalse();
  }

  @Test
  void anEndpointsOwnLimitIsDividedBetweenTheInstances() {
    room.divideBetween(() -> 3);
    assertThat(room.configuredCap(10)).isEqualTo(4);
    assertThat(room.configuredCap(1)).isEqualTo(1);
    assertThat(room.configuredCap(0)).as("the server's default is per instance").isEqualTo(100);
  }
}
