package dev.postrider.audit;

import dev.postrider.id.ApiKeyId;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit log; its id contains the time.
 *
 * @param keyId the API key of the request; null if there was none
 * @param objectId the id or name of the object
 */
public record AuditEntry(
    Id id,
    String environmentId,
    @Nullable ApplicationId applicationId,
    String actorKind,
    @Nullable ApiKeyId keyId,
    String action,
    String objectKind,
    String objectId) {}
