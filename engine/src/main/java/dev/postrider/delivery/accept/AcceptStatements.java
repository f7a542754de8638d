package dev.postrider.delivery.accept;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The accept statements, which differ by dialect: PostgreSQL takes the whole batch as arrays in one
 * statement, SQLite as prepared statements in the writer's transaction.
 */
interface AcceptStatements {

  /**
   * Values that all rows of one batch share: the instance that holds the leases, the current time,
   * and the expiry of idempotency keys.
   *
   * @param leaseBatch the leases of the deliveries without a row, if there are any; a batch that is
   *     run again has the same
   */
  record Stamp(Id instance, long nowMs, long keyExpiresMs, @Nullable LeaseBatch leaseBatch) {
    /** When the idempotency key of a message expires. */
    long expires(NewMessage.IdempotencyKey key) {
      Long own = key.expiresAtMs();
      return own == null ? keyExpiresMs : own;
    }
  }

  /**
   * What the database contains for one message of the batch, read after the insert to explain why a
   * message was not inserted.
   *
   * @param present its message exists: written now, or by an earlier run of the same batch
   * @param keyBody the body hash that its idempotency key was first used with
   * @param keyMessage the message of that first use
   * @param keyBatch its messages, if it was a batch; else empty
   * @param eventIdHolder the application's message with its event id
   */
  record Found(
      boolean present,
      @Nullable Id keyBody,
      @Nullable Id keyMessage,
      List<Id> keyBatch,
      @Nullable Id eventIdHolder) {}

  /** The generation of idempotency keys is no longer the current one; nothing was written. */
  int WRONG_GENERATION = -1;

  /**
   * Inserts the messages whose routing is current and whose key and event id are free, with their
   * key and deliveries. Returns how many were written, or {@link #WRONG_GENERATION}; {@link
   * #lookUp} returns which ones, and why the others were not.
   *
   * @param keys where new keys are inserted
   */
  int insert(Connection connection, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException;

  /** The same in a transaction of the caller. */
  int insertInTransaction(
      Connection connection, List<PendingAccept> batch, Stamp stamp, KeyGeneration keys)
      throws SQLException;

  /** Whether the database rejects a value of that message; writes nothing. */
  boolean rejects(Connection connection, PendingAccept alone, Stamp stamp, KeyGeneration keys)
      throws SQLException;

  /**
   * Returns when an earlier commit is where every commit has to be. Finding its rows is not enough:
   * a read waits for no standby.
   */
  default void awaitReplication(Connection connection) throws SQLException {}

  /** One result for each message, in the same order. Expired keys are not found. */
  List<Found> lookUp(Connection connection, List<PendingAccept> admissions, long nowMs)
      throws SQLException;
}
