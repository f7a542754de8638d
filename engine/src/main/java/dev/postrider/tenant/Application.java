package dev.postrider.tenant;

import dev.postrider.id.Id;

/** A tenant, usually a customer, that receives messages. */
public record Application(
    Id id,
    String environmentId,
    ApplicationSpec spec,
    int routingVersion,
    long createdAtMs,
    long updatedAtMs) {}
