package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.List;

/** The result of a master key rotation: the old key may be deleted only when none is left. */
public record MasterRotation(int rewrapped, List<Id> left) {
  public MasterRotation {
    left = List.copyOf(left);
  }

  public boolean complete() {
    return left.isEmpty();
  }
}
