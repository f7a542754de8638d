package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.List;

/** How a rotation of the master key ended: the old key may be forgotten only when none is left. */
public record MasterRotation(int rewrapped, List<Id> left) {
  public MasterRotation {
    left = List.copyOf(left);
  }

  public boolean complete() {
    return left.isEmpty();
  }
}
