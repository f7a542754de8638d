package dev.postrider.configfile.plan;

import java.util.List;

/**
 * All differences between a configuration file and the server, in the order in which they are
 * applied.
 */
public record Plan(List<Change> changes) {
  public Plan {
    changes = List.copyOf(changes);
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }
}
