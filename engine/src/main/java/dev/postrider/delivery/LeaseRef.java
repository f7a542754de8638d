package dev.postrider.delivery;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * Identifies one lease of one delivery: the fencing token of every write that ends it.
 *
 * @param batch the row of lease_batches that is all there is of this delivery yet; null if the
 *     delivery has a row, which holds the lease
 */
public record LeaseRef(
    Id applicationId,
    Id messageId,
    Id deliveryId,
    Id laneId,
    int leaseVersion,
    LeaseBatch.@Nullable Key batch) {

  /** Whether the delivery has no row: its lease ends with the insert of its first attempt. */
  public boolean rowless() {
    return batch != null;
  }
}
