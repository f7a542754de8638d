package dev.postrider.tenant.key;

import dev.postrider.id.Id;
import java.util.List;

/**
 * An integration: a service with its own key for an application.
 *
 * @param featureFlags event types with these flags are visible in addition to those without a flag
 */
public record Integration(
    Id id,
    Id applicationId,
    String name,
    List<String> featureFlags,
    long createdAtMs,
    long updatedAtMs) {}
