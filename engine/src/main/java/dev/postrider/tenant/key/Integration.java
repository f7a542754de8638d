package dev.postrider.tenant.key;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.IntegrationId;
import java.time.Instant;
import java.util.List;

/**
 * An integration: a service with its own key for an application.
 *
 * @param featureFlags event types with these flags are visible in addition to those without a flag
 */
public record Integration(
    IntegrationId id,
    ApplicationId applicationId,
    String name,
    List<String> featureFlags,
    Instant createdAt,
    Instant updatedAt) {}
