package dev.postrider.delivery.accept;

import dev.postrider.delivery.accept.AcceptStatements.Stamp;
import dev.postrider.id.Id;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Deduplicates deliveries by the keys of their endpoint or queue, in the transaction that inserts
 * them: each stores its key, and one whose key is taken is deleted again, before anything could see
 * it. The primary key of the table decides between instances; all take the keys in the same order,
 * so that they wait for each other instead of deadlocking.
 */
final class LaneKeyStatements {
  /**
   * By slot: one row if the key was free or has expired; none if it is taken, or there is no
   * delivery. Runs after the insert of the messages, in whose transaction the generation does not
   * change.
   */
  private static final List<String> TAKE =
      KeyTables.forEachSlot(
          """
          INSERT INTO {table} AS p (application_id, key, body, message_id, expires_at)
          SELECT d.application_id, ?, ?, d.message_id, ? FROM deliveries d WHERE d.application_id = ? AND d.id = ?
             AND {others}
          ON CONFLICT (application_id, key) DO UPDATE
             SET body = EXCLUDED.body, message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at
           WHERE p.expires_at <= ?
          """,
          "NOT EXISTS (SELECT 1 FROM {other} x WHERE x.application_id = d.application_id AND x.key"
              + " = ? AND x.expires_at > ?)");

  private static final String DROP = "DELETE FROM deliveries WHERE application_id = ? AND id = ?";

  private LaneKeyStatements() {}

  /** A delivery with its key. */
  private record Keyed(PendingAccept pending, NewDelivery delivery, Id key) {}

  static void write(
      Connection connection,
      Dialect dialect,
      List<PendingAccept> batch,
      Stamp stamp,
      KeyGeneration keys)
      throws SQLException {
    List<Keyed> keyed = new ArrayList<>();
    for (PendingAccept pending : batch) {
      pending.forgetDuplicates(); // of a run that was not committed
      for (NewDelivery delivery : pending.deliveries()) {
        Id key = pending.laneKey(delivery);
        if (key != null) {
          keyed.add(new Keyed(pending, delivery, key));
        }
      }
    }
    // Stable: of equal keys in a batch, the first message has the delivery.
    keyed.sort(
        Comparator.<Keyed, Id>comparing(one -> one.pending().applicationId)
            .thenComparing(Keyed::key));
    try (PreparedStatement take = connection.prepareStatement(TAKE.get(keys.slot()));
        PreparedStatement copy =
            connection.prepareStatement(KeyCopyStatements.SQL.get(keys.slot()));
        PreparedStatement drop = connection.prepareStatement(DROP)) {
      for (Keyed one : keyed) {
        if (!taken(take, dialect, one, stamp)) {
          dialect.bind(drop, 1, one.pending().applicationId);
          dialect.bind(drop, 2, one.delivery().id());
          drop.executeUpdate();
          one.pending().duplicate(one.delivery());
        } else if (keys.isOutlivedBy(one.pending().laneKeysUntilMs(stamp.keyExpiresMs()))) {
          KeyCopyStatements.write(copy, dialect, one.pending().applicationId, one.key());
        }
      }
    }
  }

  private static boolean taken(PreparedStatement take, Dialect dialect, Keyed one, Stamp stamp)
      throws SQLException {
    dialect.bind(take, 1, one.key());
    dialect.bind(take, 2, one.key());
    take.setLong(3, one.pending().laneKeysUntilMs(stamp.keyExpiresMs()));
    dialect.bind(take, 4, one.pending().applicationId);
    dialect.bind(take, 5, one.delivery().id());
    int at = 6;
    for (int i = 0; i < KeyTables.others(); i++) {
      dialect.bind(take, at++, one.key());
      take.setLong(at++, stamp.nowMs());
    }
    take.setLong(at, stamp.nowMs());
    return take.executeUpdate() == 1;
  }
}
