package dev.postrider.endpoint;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint: a URL that receives messages.
 *
 * @param version incremented by every change, secrets and headers included
 */
public record Endpoint(
    Id id,
    Id applicationId,
    EndpointSpec spec,
    @Nullable String disabledReason,
    @Nullable Long disabledAtMs,
    int version,
    long createdAtMs,
    long updatedAtMs) {}
