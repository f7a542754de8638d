package dev.postrider.delivery.loop;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryEvent;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.policy.AutoDisable;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.delivery.store.LeaseStore;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.options.BreakerOptions;
import dev.postrider.storage.Transactions;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Finishes that change a lane: failures, probes, ordered lanes, and successes that end a run of
 * failures. One transaction locks the applications, the deliveries and the lanes in that order,
 * applies the policies, and writes everything.
 */
public final class LaneFinish {
  /** Disables an endpoint because of its response or its failures; runs after the commit. */
  public interface Disabler {
    void disable(Id applicationId, Id endpointId, String reason);
  }

  /** The policies of the server, besides the retry schedule of each delivery. */
  public record Policies(BreakerOptions breaker, AutoDisable.Config autoDisable) {}

  /** A pause that is prolonged by less is not reported to other instances. */
  private static final long PAUSE_STEP_MS = 1_000;

  private final Transactions transactions;
  private final DeliveryStores stores;
  private final Policies policies;
  private final Lanes lanes;
  private final Disabler disabler;
  private final DeliveryListener listener;
  private final EventPublisher events;
  private final TimeSource time;
  private final RandomGenerator random = new SplittableRandom();

  /**
   * @param transactions of the thread that calls {@link #finish}; on PostgreSQL with plans that
   *     look up keys, whatever the statistics say
   */
  public LaneFinish(
      Transactions transactions,
      DeliveryStores stores,
      Policies policies,
      Lanes lanes,
      Disabler disabler,
      DeliveryListener listener,
      EventPublisher events,
      TimeSource time) {
    this.transactions = transactions;
    this.stores = stores;
    this.policies = policies;
    this.lanes = lanes;
    this.disabler = disabler;
    this.listener = listener;
    this.events = events;
    this.time = time;
  }

  /** Writes the batch and returns what was written of each. */
  public List<Finish> finish(List<Outcome> batch) {
    Work work = transactions.write(handle -> new Work(batch).run(handle));
    work.afterCommit();
    return work.ended;
  }

  /**
   * Of a batch that was not wholly held: the deliveries whose lease another instance has ended.
   *
   * @param own the connection of the caller, which is another thread than that of {@link #finish}
   */
  Set<Id> lost(Transactions own, List<Outcome> batch) {
    return own.write(
        handle -> {
          Set<Id> lost = new HashSet<>();
          for (Outcome outcome : batch) {
            // Zero rows and our own attempt present means already finished (a retry after a
            // commit with an unknown result).
            if (!stores.leases().attemptExists(handle, outcome)) {
              lost.add(outcome.delivery().id());
            }
          }
          return lost;
        });
  }

  /** The state of one transaction; created again when the transaction is retried. */
  private final class Work {
    private final List<Outcome> batch;
    private final long now = time.nowMs();
    private final List<Finish> ended = new ArrayList<>();
    private final LaneUpdates updates = new LaneUpdates(stores.lanes(), lanes, listener, now);
    private final Map<Id, EndReason> disable = new HashMap<>();
    private final Set<Id> paused = new HashSet<>();
    private final List<FinishEvent> noted = new ArrayList<>();

    Work(List<Outcome> batch) {
      this.batch = batch;
    }

    Work run(Handle handle) throws Exception {
      Set<Id> applications = new TreeSet<>();
      List<LeaseRef> leases = new ArrayList<>(batch.size());
      Set<Id> laneIds = new TreeSet<>();
      for (Outcome outcome : batch) {
        applications.add(outcome.delivery().applicationId());
        leases.add(outcome.delivery().ref());
        laneIds.add(outcome.delivery().laneId());
      }
      stores.lanes().lockApplications(handle, applications);
      Map<Id, LeaseStore.HeldLease> held = stores.leases().lockHeld(handle, leases);
      updates.lock(handle, laneIds, false);
      List<Finish> finishes = new ArrayList<>(batch.size());
      for (Outcome outcome : batch) {
        LeaseStore.HeldLease lease = held.get(outcome.delivery().id());
        if (lease != null) {
          Finish finish = decide(outcome, canceledBy(outcome.delivery(), lease));
          finishes.add(finish);
          ended.add(finish);
        } else {
          ended.add(notHeld(outcome, stores.leases().attemptExists(handle, outcome)));
        }
      }
      stores.leases().endHeld(handle, finishes);
      writeLanes(handle);
      for (FinishEvent event : noted) {
        events.publish(handle, event);
      }
      return this;
    }

    /**
     * Already finished (a retry after a commit with an unknown result), or lost to another
     * instance. In both cases the lane was already updated, and its current holder may be the next
     * lease of the same delivery.
     */
    private Finish notHeld(Outcome outcome, boolean finished) {
      Delivery delivery = outcome.delivery();
      Outcome.Tried tried = outcome instanceof Outcome.Tried one ? one : null;
      if (finished && tried != null && tried.meaning() == Meaning.GONE) {
        disable.put(delivery.laneId(), EndReason.ENDPOINT_GONE);
      }
      // The first run has already reported when the next attempt is; the lane book only needs to
      // check.
      Verdict verdict =
          tried != null && tried.meaning() == Meaning.SUCCESS
              ? Verdict.DELIVERED
              : Verdict.again(DeliveryEvent.FAIL_RETRY, now);
      Finish finish =
          Finish.untried(delivery.ref(), verdict, tried == null ? null : tried.attempt(), now);
      return finished ? finish : finish.asLost();
    }

    /** Why the delivery is canceled unless its attempt succeeded; null if it is not. */
    private @Nullable EndReason canceledBy(Delivery delivery, LeaseStore.HeldLease lease) {
      if (lease.cancelRequested()) {
        return EndReason.CANCEL_REQUESTED;
      }
      LaneView lane = updates.lane(delivery.laneId());
      if (lane != null && lane.deleted()) {
        return EndReason.ENDPOINT_DELETED;
      }
      return lease.payloadGone() ? EndReason.PAYLOAD_EXPIRED : null;
    }

    private Finish decide(Outcome outcome, @Nullable EndReason canceledBy) {
      Delivery delivery = outcome.delivery();
      LaneView lane = updates.lane(delivery.laneId());
      updates.free(delivery);
      Finish finish =
          switch (outcome) {
            case Outcome.Tried tried -> judged(tried, canceledBy, lane);
            case Outcome.Untried(_, DeliveryEvent event, EndReason reason) -> {
              updates.probeLost(delivery);
              Verdict verdict =
                  canceledBy == EndReason.CANCEL_REQUESTED
                      ? Verdict.ended(DeliveryEvent.CANCEL, canceledBy)
                      : Verdict.ended(event, reason);
              yield Finish.untried(delivery.ref(), verdict, null, now);
            }
            case Outcome.Released _ ->
                throw new IllegalStateException("a release does not end a delivery");
          };
      if (finish.status() == DeliveryStatus.DEAD_LETTER
          && lane != null
          && lane.ordered()
          && lane.pauseOnDeadLetter()) {
        paused.add(lane.laneId());
      }
      return finish;
    }

    private Finish judged(
        Outcome.Tried tried, @Nullable EndReason canceledBy, @Nullable LaneView lane) {
      Delivery delivery = tried.delivery();
      LaneState state = updates.state(delivery.laneId());
      Verdict verdict =
          Verdict.of(tried, canceledBy, policies.breaker(), state, now, random.nextDouble());
      updates.state(delivery.laneId(), verdict.lane());
      judgeFailing(delivery, tried.meaning());
      if (verdict.disableEndpoint()) {
        disable.put(delivery.laneId(), EndReason.ENDPOINT_GONE);
      }
      // An internal failure indicates nothing about the endpoint, but it did use up an attempt
      // of the schedule: otherwise it could go on forever.
      Finish finish = Finish.tried(delivery.ref(), verdict, tried.attempt(), now);
      note(delivery, finish, lane);
      return finish;
    }

    private void note(Delivery delivery, Finish finish, @Nullable LaneView lane) {
      Finish.Attempt last = finish.attempt();
      if (lane == null || last == null || delivery.manual()) {
        return;
      }
      switch (finish.status()) {
        case DEAD_LETTER -> noted.add(new FinishEvent.Exhausted(lane, delivery, last));
        case FAILED -> {
          if (delivery.failedBefore() + 1 == FinishEvent.FAILING_AFTER) {
            noted.add(new FinishEvent.Failing(lane, delivery, last));
          }
        }
        case DELIVERED -> {
          if (delivery.failedBefore() >= FinishEvent.FAILING_AFTER) {
            noted.add(new FinishEvent.Recovered(lane, delivery, last));
          }
        }
        case PENDING, SENDING, CANCELED -> {}
      }
    }

    private void judgeFailing(Delivery delivery, Meaning meaning) {
      AutoDisable.Failing known = updates.failing(delivery.laneId());
      if (meaning == Meaning.SUCCESS) {
        updates.failing(delivery.laneId(), AutoDisable.onSuccess(known));
        updates.succeeded(delivery.laneId());
        return;
      }
      if (meaning == Meaning.OUR_FAULT) {
        return;
      }
      AutoDisable.Judgement judgement =
          AutoDisable.onExhaustedOrFailed(known, now, policies.autoDisable());
      updates.failing(delivery.laneId(), judgement.failing());
      if (judgement.disable()) {
        disable.put(delivery.laneId(), EndReason.ENDPOINT_FAILING);
      }
    }

    /**
     * Whether accepting instances must be notified, because they would lease at insert deliveries
     * that must wait, or no longer need to wait.
     */
    private boolean changesInsertClaims(LaneState from, LaneState to) {
      return to.circuit() != from.circuit()
          || to.slowUntilMs() > Math.max(now, from.slowUntilMs() + PAUSE_STEP_MS)
          || (to.reducedCap() == 0 && from.reducedCap() != 0);
    }

    private void writeLanes(Handle handle) {
      updates.write(handle);
      Set<Id> rerouted = new TreeSet<>();
      updates.forEach(
          (lane, state) -> {
            if (paused.contains(lane.laneId())) {
              stores.lanes().pause(handle, lane.laneId());
              rerouted.add(lane.applicationId());
            }
            if (changesInsertClaims(lane.state(), state)) {
              rerouted.add(lane.applicationId());
            }
            if (opened(lane, state)) {
              noted.add(new FinishEvent.CircuitOpened(lane, state));
            } else if (closed(lane, state)) {
              noted.add(new FinishEvent.CircuitClosed(lane));
            }
          });
      stores.lanes().bumpRouting(handle, rerouted);
    }

    /** A failed probe leaves the circuit unchanged for outside observers. */
    private static boolean opened(LaneView lane, LaneState state) {
      return state.circuit() == Circuit.OPEN && lane.state().circuit() == Circuit.CLOSED;
    }

    private static boolean closed(LaneView lane, LaneState state) {
      return state.circuit() == Circuit.CLOSED && lane.state().circuit() != Circuit.CLOSED;
    }

    void afterCommit() {
      noted.forEach(events::publish);
      updates.committed();
      disable.forEach(
          (laneId, reason) -> {
            LaneView lane = updates.lane(laneId);
            if (lane != null) {
              disabler.disable(lane.applicationId(), laneId, reason.text());
            }
          });
    }
  }
}
