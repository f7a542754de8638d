package dev.postrider.endpoint;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The statements on signing secrets; all run in the caller's transaction. */
final class SecretRows {
  private SecretRows() {}

  static void insert(
      Handle handle, Id id, ApplicationId applicationId, Id ownerId, byte[] sealed, long nowMs) {
    insertOld(handle, id, applicationId, ownerId, sealed, nowMs, null);
  }

  /**
   * @param expiresAtMs null for the key that is signed with from now on
   */
  static void insertOld(
      Handle handle,
      Id id,
      ApplicationId applicationId,
      Id ownerId,
      byte[] sealed,
      long nowMs,
      @Nullable Long expiresAtMs) {
    handle
        .createUpdate(
            """
            INSERT INTO signing_secrets (id, application_id, owner_id, sealed, created_at, expires_at)
            VALUES (:id, :application, :owner, :sealed, :now, :expires)
            """)
        .bind("expires", expiresAtMs)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("owner", ownerId)
        .bind("sealed", sealed)
        .bind("now", nowMs)
        .execute();
  }
}
