package dev.postrider.delivery.lane;

import dev.postrider.id.Id;

/**
 * The slots that the lanes of one application hold together. Guarded, as the counts of its lanes
 * are, by the lock of this object, except where noted.
 */
final class Tenant {
  final Id id;

  /** How many lanes of it are in the table. Guarded by the lock of the table. */
  int lanes;

  /** When it last took a slot. Guarded by the lock of those who take. */
  long tookNanos;

  int places;
  int slowPlaces;
  long bytes;

  /** Attempts that wait for their receiver. */
  int atReceivers;

  /** Whether the claimer was rejected because of the leases in hand. */
  boolean waitsForHand;

  Tenant(Id id) {
    this.id = id;
  }

  /** Leased, and neither at its receiver nor recorded. */
  int inHand() {
    return places - atReceivers;
  }
}
