package dev.postrider.workflow.store;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The open callbacks. A token is found by its hash; the token itself is not stored. */
public final class CallbackStore {
  /**
   * A callback that waits for its call.
   *
   * @param dataKey with which the token is computed again
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record Open(byte[] tokenHash, RunRef ref, int seq, Id dataKey, long expiresAtMs) {}

  /** A step instance that waits for its callback. */
  public record Waiting(RunRef ref, int seq, long expiresAtMs) {}

  private final Database database;
  private final Dialect dialect;

  public CallbackStore(Database database) {
    this.database = database;
    this.dialect = database.dialect();
  }

  public void insert(Handle handle, List<Open> callbacks) {
    for (Open one : callbacks) {
      handle
          .createUpdate(
              """
              INSERT INTO workflow_callbacks (token_hash, application_id, run_id, seq, data_key, expires_at)
              VALUES (:hash, :app, :run, :seq, :key, :expires) ON CONFLICT DO NOTHING
              """)
          .bind("hash", one.tokenHash())
          .bind("app", one.ref().applicationId())
          .bind("run", one.ref().runId())
          .bind("seq", one.seq())
          .bind("key", one.dataKey())
          .bind("expires", one.expiresAtMs())
          .execute();
    }
  }

  public void delete(Handle handle, RunRef ref, int seq) {
    handle
        .createUpdate(
            "DELETE FROM workflow_callbacks WHERE application_id = :app AND run_id = :run AND seq ="
                + " :seq")
        .bind("app", ref.applicationId())
        .bind("run", ref.runId())
        .bind("seq", seq)
        .execute();
  }

  /** Null if no callback that is open has this token. */
  public @Nullable Waiting byHash(byte[] tokenHash) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT application_id, run_id, seq, expires_at FROM workflow_callbacks"
                            + " WHERE token_hash = :hash")
                    .bind("hash", tokenHash)
                    .map(
                        Row.mapper(
                            dialect,
                            row ->
                                new Waiting(
                                    new RunRef(row.id("application_id"), row.id("run_id")),
                                    row.integer("seq"),
                                    row.number("expires_at"))))
                    .findOne())
        .orElse(null);
  }

  /** The data key of the token of a step instance; null if it is closed. */
  public @Nullable Id dataKey(RunRef ref, int seq) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT data_key FROM workflow_callbacks WHERE application_id = :app AND"
                            + " run_id = :run AND seq = :seq")
                    .bind("app", ref.applicationId())
                    .bind("run", ref.runId())
                    .bind("seq", seq)
                    .mapTo(Id.class)
                    .findOne())
        .orElse(null);
  }
}
