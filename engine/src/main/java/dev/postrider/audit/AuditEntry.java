package dev.postrider.audit;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A deed as it was written down; its id says when.
 *
 * @param keyId the API key that was shown; null if there was none
 * @param objectId the id or name of what it was done to
 */
public record AuditEntry(
    Id id,
    String environmentId,
    @Nullable Id applicationId,
    String actorKind,
    @Nullable Id keyId,
    String action,
    String objectKind,
    String objectId) {}
