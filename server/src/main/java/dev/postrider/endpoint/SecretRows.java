package dev.postrider.endpoint;

import dev.postrider.id.Id;
import org.jdbi.v3.core.Handle;

/** The statements on signing secrets; all run in the caller's transaction. */
final class SecretRows {
  private SecretRows() {}

  static void insert(
      Handle handle, Id id, Id applicationId, Id ownerId, byte[] sealed, long nowMs) {
    handle
        .createUpdate(
            """
            INSERT INTO signing_secrets (id, application_id, owner_id, sealed, created_at)
            VALUES (:id, :application, :owner, :sealed, :now)
            """)
        .bind("id", id)
        .bind("application", applicationId)
        .bind("owner", ownerId)
        .bind("sealed", sealed)
        .bind("now", nowMs)
        .execute();
  }
}
