package dev.postrider.delivery.store;

import org.jspecify.annotations.Nullable;

/** A position in the order of a lane: by time, then by number (engine rule 15). */
public record LanePlace(long orderAtMs, long seq) {
  /** The next one. */
  public LanePlace next() {
    return new LanePlace(orderAtMs, seq + 1);
  }

  /** The same number at the requested delivery time, if that is later. */
  public LanePlace notBefore(@Nullable Long deliverAtMs) {
    return deliverAtMs == null || deliverAtMs <= orderAtMs ? this : new LanePlace(deliverAtMs, seq);
  }
}
