package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.List;

/**
 * The result of a master key rotation: how many data keys were encrypted again, and which still
 * need the old master key. The old key may be deleted only when that list is empty.
 */
public record MasterRotation(int rewrapped, List<Id> left) {
  public MasterRotation {
    left = List.copyOf(left);
  }

  public boolean complete() {
    return left.isEmpty();
  }
}
