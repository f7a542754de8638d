package dev.postrider.delivery.loop;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.policy.AutoDisable;
import dev.postrider.delivery.policy.Breaker;
import dev.postrider.delivery.policy.LaneState;
import dev.postrider.delivery.store.LaneStore;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.id.Id;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that one transaction locks and changes, and what follows from it in memory after the
 * commit. Created again when the transaction is run again.
 */
public final class LaneUpdates {
  private final LaneStore store;
  private final Lanes lanes;
  private final DeliveryListener listener;
  private final long now;
  private final Map<Id, LaneView> before = new HashMap<>();
  private final Map<Id, LaneState> after = new HashMap<>();
  private final Map<Id, AutoDisable.Failing> failing = new HashMap<>();
  private final Set<Id> succeeded = new HashSet<>();
  private final Set<Id> freed = new HashSet<>();

  public LaneUpdates(LaneStore store, Lanes lanes, DeliveryListener listener, long nowMs) {
    this.store = store;
    this.lanes = lanes;
    this.listener = listener;
    this.now = nowMs;
  }

  /**
   * Locks lanes in the order of their ids, after the deliveries.
   *
   * @param steps whether they are those of workflow steps
   */
  public void lock(Handle handle, Collection<Id> laneIds, boolean steps) {
    for (LaneView lane : store.lockLanes(handle, laneIds, steps)) {
      before.put(lane.laneId(), lane);
      after.put(lane.laneId(), lane.state());
      failing.put(lane.laneId(), lane.failing());
    }
  }

  /** As it was locked; null if it does not exist. */
  public @Nullable LaneView lane(Id laneId) {
    return before.get(laneId);
  }

  /** As changed so far. */
  public LaneState state(Id laneId) {
    return after.getOrDefault(laneId, LaneState.FRESH);
  }

  public void state(Id laneId, LaneState state) {
    after.put(laneId, state);
  }

  AutoDisable.Failing failing(Id laneId) {
    return failing.getOrDefault(laneId, AutoDisable.Failing.NONE);
  }

  void failing(Id laneId, AutoDisable.Failing state) {
    failing.put(laneId, state);
  }

  public void succeeded(Id laneId) {
    succeeded.add(laneId);
  }

  /** The delivery ends, so it no longer holds an ordered lane. */
  void free(Delivery delivery) {
    LaneView lane = before.get(delivery.laneId());
    if (lane != null && delivery.id().equals(lane.inFlight())) {
      freed.add(delivery.laneId());
    }
  }

  /** If the delivery was the probe of its lane, the next one may be. */
  public void probeLost(Delivery delivery) {
    LaneState state = after.get(delivery.laneId());
    if (state != null && delivery.id().equals(state.probe())) {
      after.put(delivery.laneId(), Breaker.onProbeLost(state, now));
    }
  }

  /** Writes the rows that change. */
  public void write(Handle handle) {
    for (Map.Entry<Id, LaneView> entry : new TreeMap<>(before).entrySet()) {
      Id laneId = entry.getKey();
      LaneView lane = entry.getValue();
      LaneState state = after.getOrDefault(laneId, lane.state());
      AutoDisable.Failing failed = failing.getOrDefault(laneId, lane.failing());
      if (!state.equals(lane.state()) || !failed.equals(lane.failing())) {
        store.saveLane(handle, laneId, state, failed, succeeded.contains(laneId) ? now : null);
      }
      if (freed.contains(laneId)) {
        store.clearInFlight(handle, laneId);
      }
    }
  }

  /** Each lane and its new state, in the order of their ids. */
  void forEach(BiConsumer<LaneView, LaneState> consumer) {
    new TreeMap<>(before)
        .forEach((id, lane) -> consumer.accept(lane, after.getOrDefault(id, lane.state())));
  }

  /** After the commit. */
  public void committed() {
    before.forEach(this::changed);
  }

  private void changed(Id laneId, LaneView lane) {
    LaneState state = after.getOrDefault(laneId, lane.state());
    Lane live = lanes.of(lane.applicationId(), laneId);
    live.clean(lane.isClean(state, failing.getOrDefault(laneId, AutoDisable.Failing.NONE)));
    if (state.opensAtMs() > now) {
      lanes.table().close(lane.applicationId(), laneId, state.opensAtMs());
    } else {
      live.open();
    }
    if (freed.contains(laneId) || state.circuit() != lane.state().circuit()) {
      lanes.book().unpark(live, Math.max(now, state.opensAtMs()));
    }
    // After a success that does not close the circuit yet, the next probe follows at once.
    boolean opened = state.circuit() == Circuit.OPEN && state.successes() == 0;
    if (opened && lane.state().circuit() != Circuit.OPEN) {
      listener.circuitOpened(lane.applicationId(), laneId, state.openUntilMs());
    } else if (state.circuit() == Circuit.CLOSED && lane.state().circuit() != Circuit.CLOSED) {
      listener.circuitClosed(lane.applicationId(), laneId);
    }
  }
}
