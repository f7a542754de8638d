package dev.postrider.endpoint;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint: a URL that receives messages.
 *
 * @param version incremented by every change, secrets and headers included
 */
public record Endpoint(
    EndpointId id,
    ApplicationId applicationId,
    EndpointSpec spec,
    @Nullable String disabledReason,
    @Nullable Instant disabledAt,
    int version,
    Instant createdAt,
    Instant updatedAt) {}
