package dev.postrider.audit;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Inserts audit log entries, in the same transaction as the audited action. */
public final class AuditRows {
  private AuditRows() {}

  /**
   * An action on the environment itself.
   *
   * @param id of the row, which also contains the time
   * @param object the id or name of the object
   */
  public static void ofEnvironment(
      Handle handle, Id id, Actor actor, AuditAction action, String environmentId, String object) {
    insert(handle, id, actor, action, environmentId, null, object);
  }

  /** An action on an application, whose environment is looked up. */
  public static void ofApplication(
      Handle handle,
      Id id,
      Actor actor,
      AuditAction action,
      ApplicationId applicationId,
      String object) {
    insert(handle, id, actor, action, null, applicationId, object);
  }

  private static void insert(
      Handle handle,
      Id id,
      Actor actor,
      AuditAction action,
      @Nullable String environmentId,
      @Nullable ApplicationId applicationId,
      String object) {
    handle
        .createUpdate(
            """
            INSERT INTO audit (id, environment_id, application_id, actor_kind, key_id, action, object_kind, object_id)
            VALUES (:id, COALESCE(:environment, (SELECT environment_id FROM applications WHERE id = :application), ''), :application,
              :actor, :key, :action, :kind, :object)
            """)
        .bind("id", id)
        .bind("environment", environmentId)
        .bindByType("application", applicationId, Id.class)
        .bind("actor", actor.kind().text())
        .bindByType("key", actor.keyId(), Id.class)
        .bind("action", action.text())
        .bind("kind", action.objectKind())
        .bind("object", object)
        .execute();
  }
}
