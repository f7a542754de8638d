package dev.postrider.delivery.loop;

import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.StorageException;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestLanes;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of outcomes when recording them breaks. */
@Timeout(120)
class FinisherFaultTest {
  private static final Id APPLICATION = new Id(1, 1);
  private static final Id LANE = new Id(2, 2);

  private final Lanes lanes = TestLanes.small(new ManualTime());
  private final List<Id> told = new ArrayList<>();
  private final AtomicInteger runs = new AtomicInteger();
  private volatile @Nullable Fault fault;
  private volatile int faulty;
  private volatile int recorded = 3;

  /** Thrown by the link. */
  private interface Fault {
    void raise();
  }

  private final class Link implements DedicatedConnection {
    @Override
    @SuppressWarnings("unchecked")
    public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
      Fault now = fault;
      if (runs.incrementAndGet() <= faulty && now != null) {
        now.raise();
      }
      return (T) Integer.valueOf(recorded);
    }

    @Override
    public <T extends @Nullable Object> T write(Database.Work<T> work) {
      throw new AssertionError("no lease is lost");
    }

    @Override
    public void close() {}
  }

  private final Signals signals = new Signals();
  private final Finisher finisher =
      new Finisher(
          new Link(),
          HotStatements.of(Dialect.SQLITE),
          null, // asked for loud lanes and lost leases only
          null, // asked for releases only
          lanes,
          new UnsettledLeases(),
          new DeliveryListener() {
            @Override
            public void finished(Outcome outcome, Finish finish) {
              told.add(outcome.delivery().id());
              signals.signal();
            }
          },
          new ManualTime());

  @AfterEach
  void stop() {
    faulty = 0;
    finisher.stop(10_000);
  }

  private void addThree() {
    Lane lane = lanes.of(APPLICATION, LANE);
    assertThat(lanes.room().reserve(lane, 10, 3)).isEqualTo(3);
    for (int n = 1; n <= 3; n++) {
      Delivery delivery = delivery(new Id(9, n));
      lane.hold(delivery.id(), delivery.number());
      lanes.room().fill(lane, delivery.sizeInBytes());
      lanes.room().tryEnded(lane);
      finisher.add(anAttempt().id(new Id(8, n)).resultOf(delivery, Meaning.SUCCESS));
    }
    finisher.start();
  }

  private Delivery delivery(Id id) {
    return aLease().in(lanes).application(APPLICATION).delivery(id).lane(LANE).build();
  }

  @Test
  void aPassingErrorLosesNoOutcome() {
    fault =
        () -> {
          throw new OutOfMemoryError("test");
        };
    faulty = 2;
    addThree();
    signals.await("recorded", () -> lanes.room().leased() == 0);
    finisher.stop(30_000);
    assertThat(told).as("each once").containsExactly(new Id(9, 1), new Id(9, 2), new Id(9, 3));
  }

  @Test
  void aLastingErrorLeavesThemToRescueAndFreesTheirPlaces() {
    fault =
        () -> {
          throw new StackOverflowError("test");
        };
    faulty = Integer.MAX_VALUE;
    addThree();
    signals.await("places are free", () -> lanes.room().leased() == 0);
    assertThat(told).isEmpty();
    assertThat(lanes.room().leasedBytes()).isZero();
    assertThat(lanes.table().holds(LANE, new Id(9, 1), 1))
        .as("not given back as if it had not been sent")
        .isTrue();
    faulty = 0;
    addMore();
  }

  /** The thread lives on. */
  private void addMore() {
    recorded = 1;
    Delivery next = delivery(new Id(9, 9));
    Lane lane = lanes.of(APPLICATION, LANE);
    assertThat(lanes.room().reserve(lane, 10, 1)).isEqualTo(1);
    lanes.room().fill(lane, next.sizeInBytes());
    lanes.room().tryEnded(lane);
    finisher.add(anAttempt().id(new Id(8, 9)).resultOf(next, Meaning.SUCCESS));
    signals.await("the next one is recorded", () -> lanes.room().leased() == 0);
  }

  @Test
  void conflictsAreRetriedWithPauses() {
    fault =
        () -> {
          throw new StorageException("conflict", new SQLException("serialization", "40001"));
        };
    faulty = Integer.MAX_VALUE;
    addThree();
    signals.await("a few runs", () -> runs.get() >= 5);
    int before = runs.get();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // time to count runs
    assertThat(runs.get() - before).as("without pauses it would be many thousands").isLessThan(500);
    faulty = 0;
    signals.await("recorded", () -> lanes.room().leased() == 0);
    finisher.stop(30_000);
    assertThat(told).hasSize(3);
  }
}
