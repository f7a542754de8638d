package dev.postrider.simulation;

import dev.postrider.storage.MemorySqlite;
import java.util.List;
import java.util.Map;

/** What happens in one world, and what must not. */
interface Course {
  void begin();

  boolean over();

  /** What should not have been, at the end. */
  List<String> violations(MemorySqlite store);

  /** Settings of these worlds alone. */
  default Map<String, String> settings() {
    return Map.of();
  }

  /** Called after each step of the timeline. */
  default void afterStep() {}

  /** Called when a request leaves; it is under way already. */
  default void sending(Network.UnderWay request) {}

  /** Kills or freezes this one now, if this world has such faults and some are left. */
  default void strike(Host host) {}
}
