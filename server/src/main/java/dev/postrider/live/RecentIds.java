package dev.postrider.live;

import dev.postrider.id.Id;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The newest ids of a stream, to recognize an id that is read again. */
final class RecentIds {
  private final Set<Id> ids;

  /**
   * @param most how many are remembered
   */
  RecentIds(int most) {
    ids =
        Collections.newSetFromMap(
            new LinkedHashMap<>() {
              private static final long serialVersionUID = 1;

              @Override
              protected boolean removeEldestEntry(Map.Entry<Id, Boolean> eldest) {
                return size() > most;
              }
            });
  }

  /** Whether it is new. */
  boolean add(Id id) {
    return ids.add(id);
  }
}
