package dev.postrider.api.http;

import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Stores requests that have an idempotency key, with their responses. */
final class CallAnswerStore {
  private static final int RUNNING = 0;
  private static final int WRITTEN = 1;
  private static final int ANSWERED = 2;

  private final Database database;

  CallAnswerStore(Database database) {
    this.database = database;
  }

  /**
   * The reservation of an idempotency key by one request.
   *
   * @param key the caller's key with its scope
   * @param body hash of the body
   * @param owner this request; a second one has another
   */
  record Claim(Id key, Id body, Id owner, String environmentId) {}

  /**
   * The state of the first request.
   *
   * @param written its effect is committed
   * @param sealed its encrypted response; null if it has none yet
   */
  @SuppressWarnings("ArrayRecordComponent") // opened once
  record Known(
      Id body,
      Id owner,
      boolean written,
      int status,
      byte @Nullable [] sealed,
      boolean answered,
      long startedAtMs) {}

  /**
   * Reserves the key, if it is free or has expired, or if its holder died without having written
   * anything.
   *
   * @return the first request if the key is in use
   */
  Optional<Known> begin(Claim claim, long nowMs, long expiresAtMs, long abandonedMs) {
    return database.write(
        handle -> {
          int won =
              handle
                  .createUpdate(
                      """
                      INSERT INTO call_answers (key, body, owner, state, environment_id, started_at, expires_at)
                      VALUES (:key, :body, :owner, :running, :environment, :now, :expires)
                      ON CONFLICT (key) DO UPDATE
                         SET body = EXCLUDED.body, owner = EXCLUDED.owner, state = :running, status = NULL, sealed = NULL,
                             started_at = EXCLUDED.started_at, expires_at = EXCLUDED.expires_at
                       WHERE call_answers.expires_at <= :now
                          OR (call_answers.state = :running AND call_answers.started_at <= :abandoned)
                      """)
                  .bind("key", claim.key())
                  .bind("body", claim.body())
                  .bind("owner", claim.owner())
                  .bind("environment", claim.environmentId())
                  .bind("now", nowMs)
                  .bind("expires", expiresAtMs)
                  .bind("abandoned", abandonedMs)
                  .bind("running", RUNNING)
                  .execute();
          return won == 1 ? Optional.empty() : select(handle, claim.key());
        });
  }

  Optional<Known> find(Id key) {
    return database.read(handle -> select(handle, key));
  }

  private Optional<Known> select(Handle handle, Id key) {
    return handle
        .createQuery(
            "SELECT body, owner, state, status, sealed, started_at FROM call_answers WHERE key ="
                + " :key")
        .bind("key", key)
        .map(
            Row.mapper(
                database.dialect(),
                row ->
                    new Known(
                        row.id("body"),
                        row.id("owner"),
                        row.integer("state") >= WRITTEN,
                        row.integer("status"),
                        row.bytesOrNull("sealed"),
                        row.integer("state") == ANSWERED,
                        row.number("started_at"))))
        .findOne();
  }

  /**
   * Marks, within the transaction of the request, that it has been executed.
   *
   * @throws IllegalStateException if the key was taken over meanwhile
   */
  static boolean written(Handle handle, Claim claim) {
    int marked =
        handle
            .createUpdate(
                "UPDATE call_answers SET state = :written WHERE key = :key AND owner = :owner AND"
                    + " state <= :written")
            .bind("written", WRITTEN)
            .bind("key", claim.key())
            .bind("owner", claim.owner())
            .execute();
    if (marked != 1) {
      throw new IllegalStateException("another request has taken over this idempotency-key");
    }
    return true;
  }

  void answered(Claim claim, int status, byte[] sealed) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE call_answers SET state = :answered, status = :status, sealed = :sealed
                    WHERE key = :key AND owner = :owner
                    """)
                .bind("key", claim.key())
                .bind("owner", claim.owner())
                .bind("answered", ANSWERED)
                .bind("status", status)
                .bind("sealed", sealed)
                .execute());
  }

  /**
   * Releases the key.
   *
   * @param unlessWritten keeps it if the request was executed
   */
  void forget(Claim claim, boolean unlessWritten) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    "DELETE FROM call_answers WHERE key = :key AND owner = :owner AND state <="
                        + " :most")
                .bind("key", claim.key())
                .bind("owner", claim.owner())
                .bind("most", unlessWritten ? RUNNING : ANSWERED)
                .execute());
  }
}
