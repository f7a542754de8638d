package dev.postrider.delivery;

import dev.postrider.id.Id;

/** Identifies one lease of one delivery: the fencing token of every write that ends it. */
public record LeaseRef(Id applicationId, Id deliveryId, Id laneId, int leaseVersion) {}
