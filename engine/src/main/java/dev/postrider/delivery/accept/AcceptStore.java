package dev.postrider.delivery.accept;

import dev.postrider.delivery.accept.AcceptStatements.Found;
import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.delivery.accept.PendingAccept.CommitResult;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.SqlFaults;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Writes a batch and returns the result of each message. */
final class AcceptStore {
  /** How often a batch is run again because keys have got another generation; once is usual. */
  static final int GENERATION_RERUNS = 5;

  private final AcceptStatements statements;
  private final KeyGenerationStore generations;

  /** As of the last batch; null if it has to be read. */
  private @Nullable KeyGeneration generation;

  AcceptStore(Dialect dialect) {
    this.generations = new KeyGenerationStore(dialect);
    this.statements =
        switch (dialect) {
          case SQLITE -> new SqliteAccept();
          case POSTGRES -> new PostgresAccept();
        };
  }

  /**
   * Writes the batch and looks up the results, then those of its twins: messages that share a key
   * or an event id with one of the batch and must not be in the same statement. A twin that is not
   * in the tables is {@link CommitResult.Stale}: it has to be written itself.
   */
  List<CommitResult> write(
      Connection connection, List<PendingAccept> batch, List<PendingAccept> twins, Stamp stamp)
      throws SQLException {
    boolean all = insert(connection, batch, stamp) == batch.size();
    List<CommitResult> fates = new ArrayList<>(batch.size() + twins.size());
    List<PendingAccept> asked = new ArrayList<>();
    if (all) {
      fates.addAll(Collections.nCopies(batch.size(), new CommitResult.Committed()));
    } else {
      asked.addAll(batch);
    }
    asked.addAll(twins);
    if (!asked.isEmpty()) {
      fates.addAll(explain(connection, asked, stamp.nowMs()));
    }
    return fates;
  }

  /**
   * The same after a commit whose result was lost: writes only what the first run has not written.
   */
  List<CommitResult> writeAgain(
      Connection connection, List<PendingAccept> batch, List<PendingAccept> twins, Stamp stamp)
      throws SQLException {
    List<Found> found = statements.lookUp(connection, batch, stamp.nowMs());
    List<PendingAccept> missing = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (!found.get(i).present()) {
        missing.add(batch.get(i));
      }
    }
    if (!missing.isEmpty()) {
      insert(connection, missing, stamp);
    }
    statements.awaitReplication(connection);
    List<PendingAccept> asked = new ArrayList<>(batch);
    asked.addAll(twins);
    return explain(connection, asked, stamp.nowMs());
  }

  /** The first of these messages that the database rejects; -1 if it rejects none. */
  int rejected(Connection connection, List<PendingAccept> group, Stamp stamp) throws SQLException {
    KeyGeneration keys =
        generations.current(connection, stamp.nowMs(), stamp.keyExpiresMs() - stamp.nowMs());
    for (int i = 0; i < group.size(); i++) {
      if (statements.rejects(connection, group.get(i).alone(), stamp, keys)) {
        return i;
      }
    }
    return -1;
  }

  /** With the generation of keys that is current when the statement runs. */
  private int insert(Connection connection, List<PendingAccept> batch, Stamp stamp)
      throws SQLException {
    KeyGeneration known = generation;
    generation = null; // after a fault it is read again
    for (int run = 1; run <= GENERATION_RERUNS; run++) {
      KeyGeneration current =
          known == null
              ? generations.current(connection, stamp.nowMs(), stamp.keyExpiresMs() - stamp.nowMs())
              : known;
      int written = statements.insert(connection, batch, stamp, current);
      if (written != AcceptStatements.WRONG_GENERATION) {
        generation = current;
        return written;
      }
      known = null;
    }
    throw new SQLException("the generation of idempotency keys keeps changing", "40001");
  }

  /**
   * Writes one message in a transaction of the caller; true if it is there now, also if it was
   * before.
   */
  boolean insertInTransaction(Handle handle, PendingAccept pending, Stamp stamp) {
    try {
      Connection connection = handle.getConnection();
      KeyGeneration keys =
          generations.current(connection, stamp.nowMs(), stamp.keyExpiresMs() - stamp.nowMs());
      return statements.insertInTransaction(connection, List.of(pending), stamp, keys) == 1
          || statements.lookUp(connection, List.of(pending), stamp.nowMs()).getFirst().present();
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  /** The message of an application with this event id; null if there is none. */
  static @Nullable Id eventIdHolder(Database database, Id applicationId, String eventId) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id FROM messages WHERE application_id = :app AND event_id = :event")
                    .bind("app", applicationId)
                    .bind("event", eventId)
                    .mapTo(Id.class)
                    .findOne())
        .orElse(null);
  }

  /**
   * The state in the tables: committed after all, a duplicate of an earlier one, or unknown, which
   * means that its routing was stale.
   */
  List<CommitResult> explain(Connection connection, List<PendingAccept> admissions, long nowMs)
      throws SQLException {
    List<Found> found = statements.lookUp(connection, admissions, nowMs);
    List<CommitResult> fates = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      fates.add(fate(admissions.get(i), found.get(i)));
    }
    return fates;
  }

  private static CommitResult fate(PendingAccept pending, Found found) {
    if (found.present()) {
      return new CommitResult.Committed();
    }
    IdempotencyKey key = pending.message.key();
    Id first = found.keyMessage();
    if (key != null && first != null) {
      return key.body().equals(found.keyBody())
          ? new CommitResult.Replay(first, found.keyBatch())
          : new CommitResult.KeyReused();
    }
    Id holder = found.eventIdHolder();
    return holder == null ? new CommitResult.Stale() : new CommitResult.EventIdTaken(holder);
  }
}
