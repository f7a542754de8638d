package dev.postrider.delivery.loop;

import dev.postrider.delivery.store.LaneView;
import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Determines the order in which the lanes of a throttled application are claimed: it starts after
 * the lane that got the last token. Otherwise the first lane of every round would take all tokens.
 */
public final class ApplicationTurns<T> {
  /** Maximum number of cached applications; evicting one costs a lane its turn, no more. */
  static final int MAX_APPLICATIONS = 10_000;

  private final Function<T, LaneView> view;
  private final Map<Id, Id> lastServed = new HashMap<>();

  public ApplicationTurns(Function<T, LaneView> view) {
    this.view = view;
  }

  /** The same turns, those of lanes at or before their application's last one at the end. */
  public List<T> order(List<T> turns) {
    List<T> first = new ArrayList<>(turns.size());
    List<T> after = new ArrayList<>();
    for (T turn : turns) {
      LaneView lane = view.apply(turn);
      Id last = lane.applicationThrottle() == null ? null : lastServed.get(lane.applicationId());
      (last != null && lane.laneId().compareTo(last) <= 0 ? after : first).add(turn);
    }
    first.addAll(after);
    return first;
  }

  public void served(LaneView lane) {
    if (lane.applicationThrottle() != null) {
      if (lastServed.size() >= MAX_APPLICATIONS) {
        lastServed.clear();
      }
      lastServed.put(lane.applicationId(), lane.laneId());
    }
  }
}
