package dev.postrider.delivery;

import dev.postrider.id.Id;

/** Names one lease of one delivery: the fence of every write that ends it. */
public record LeaseRef(Id applicationId, Id deliveryId, Id laneId, int leaseVersion) {}
