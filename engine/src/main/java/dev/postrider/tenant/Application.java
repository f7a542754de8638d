package dev.postrider.tenant;

import dev.postrider.id.Id;

/**
 * A tenant, usually a customer, that receives messages.
 *
 * @param hidesSecrets it or its environment has secrets that are returned only by the call that
 *     creates them
 */
public record Application(
    Id id,
    String environmentId,
    ApplicationSpec spec,
    boolean hidesSecrets,
    int routingVersion,
    long createdAtMs,
    long updatedAtMs) {}
