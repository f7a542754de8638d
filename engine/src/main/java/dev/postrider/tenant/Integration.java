package dev.postrider.tenant;

import dev.postrider.id.Id;
import java.util.List;

/**
 * A service that acts for an application's people, with a key of its own.
 *
 * @param featureFlags whose event types it sees besides those without a flag
 */
public record Integration(
    Id id,
    Id applicationId,
    String name,
    List<String> featureFlags,
    long createdAtMs,
    long updatedAtMs) {}
