package dev.postrider.delivery.loop.step;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.step.StepCallStore;
import dev.postrider.delivery.step.StepStatements;
import dev.postrider.id.Id;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requests that are to be inserted, with the places that were taken for them. */
final class StepBatch implements StepCalls.Batch {
  /** What became of a request in the transaction. */
  enum Fate {
    NOT_WRITTEN,
    PENDING,
    LEASED
  }

  /** One request. */
  static final class Planned {
    private final NewStepCall request;
    private final Id deliveryId;
    private final Lane lane;

    /** Null without a place: then it is inserted pending. */
    private final @Nullable Long leaseUntilMs;

    private Fate fate = Fate.NOT_WRITTEN;

    Planned(NewStepCall request, Lane lane, @Nullable Long leaseUntilMs) {
      this.request = request;
      this.deliveryId = StepCallStore.deliveryOf(request.call());
      this.lane = lane;
      this.leaseUntilMs = leaseUntilMs;
    }

    Lane lane() {
      return lane;
    }

    Fate fate() {
      return fate;
    }

    boolean hasPlace() {
      return leaseUntilMs != null;
    }

    int sizeInBytes() {
      return Delivery.sizeInBytes(request.body());
    }

    private StepStatements.NewRow row(Set<Id> free) {
      boolean leased = leaseUntilMs != null && free.contains(lane.id());
      fate = leased ? Fate.LEASED : Fate.PENDING;
      return new StepStatements.NewRow(
          request.call(), deliveryId, request.shape(), leased ? leaseUntilMs : null);
    }

    /** As leased when it was inserted. */
    Delivery delivery(long untilMs) {
      LeaseRef ref =
          new LeaseRef(
              request.call().applicationId(), request.call().id(), deliveryId, lane.id(), 1, null);
      return StepCallStore.leased(
          ref,
          lane,
          new Delivery.Step(request.call(), request.shape()),
          request.body(),
          new StepCallStore.Lease(untilMs, 0, Long.MAX_VALUE));
    }

    @Nullable Delivery leased() {
      Long until = leaseUntilMs;
      return fate == Fate.LEASED && until != null ? delivery(until) : null;
    }
  }

  private final List<Planned> planned;

  StepBatch(List<Planned> planned) {
    this.planned = planned;
  }

  List<Planned> planned() {
    return planned;
  }

  @Override
  public List<NewStepCall> calls() {
    return planned.stream().map(one -> one.request).toList();
  }

  List<Planned> wanted(Predicate<StepCall> wanted) {
    planned.forEach(one -> one.fate = Fate.NOT_WRITTEN);
    return planned.stream().filter(one -> wanted.test(one.request.call())).toList();
  }

  /**
   * @param free the lanes in which a lease is possible, as the transaction has read them
   */
  static List<StepStatements.NewRow> rows(List<Planned> wanted, Set<Id> free) {
    return wanted.stream().map(one -> one.row(free)).toList();
  }
}
