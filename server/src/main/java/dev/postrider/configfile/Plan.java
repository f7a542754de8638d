package dev.postrider.configfile;

import java.util.List;

/** All differences between a file and a server, in the order in which they are made. */
public record Plan(List<Change> changes) {
  public Plan {
    changes = List.copyOf(changes);
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }
}
