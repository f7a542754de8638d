package dev.postrider.message;

import dev.postrider.id.Id;
import dev.postrider.message.Admission.Fate;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.storage.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a batch and says what became of each admission. */
final class AcceptStore {
  private static final String BY_KEY =
      "SELECT body, message_id FROM idempotency WHERE application_id = ? AND key = ? AND expires_at > ?";
  private static final String BY_EVENT_ID =
      "SELECT id FROM messages WHERE application_id = ? AND event_id = ?";

  private static final String PRESENT =
      "SELECT 1 FROM messages WHERE application_id = ? AND id = ?";

  private final Dialect dialect;
  private final AcceptStatements statements;

  AcceptStore(Dialect dialect) {
    this.dialect = dialect;
    this.statements =
        switch (dialect) {
          case SQLITE -> new SqliteAccept();
          case POSTGRES -> new PostgresAccept();
        };
  }

  boolean[] insert(Connection connection, List<Admission> batch, AcceptStatements.Stamp stamp)
      throws SQLException {
    boolean[] written = statements.insert(connection, batch, stamp);
    for (int i = 0; i < written.length; i++) {
      // A re-run after a doubtful commit loses to its own rows.
      written[i] = written[i] || present(connection, batch.get(i));
    }
    return written;
  }

  /** Whether a doubtful commit did write this message. */
  boolean present(Connection connection, Admission admission) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PRESENT)) {
      dialect.bind(statement, 1, admission.applicationId);
      dialect.bind(statement, 2, admission.messageId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Why an admission was not written; by the statement that answers losers. */
  Fate explain(Connection connection, Admission loser, long nowMs) throws SQLException {
    IdempotencyKey key = loser.message.key();
    if (key != null) {
      try (PreparedStatement statement = connection.prepareStatement(BY_KEY)) {
        dialect.bind(statement, 1, loser.applicationId);
        dialect.bind(statement, 2, key.key());
        statement.setLong(3, nowMs);
        try (ResultSet row = statement.executeQuery()) {
          if (row.next()) {
            boolean same = key.body().equals(dialect.readPresent(row, 1));
            return same ? new Fate.Replay(dialect.readPresent(row, 2)) : new Fate.KeyReused();
          }
        }
      }
    }
    Id first = byEventId(connection, loser);
    return first == null ? new Fate.Stale() : new Fate.EventIdTaken(first);
  }

  private @Nullable Id byEventId(Connection connection, Admission loser) throws SQLException {
    if (loser.message.eventId() == null) {
      return null;
    }
    try (PreparedStatement statement = connection.prepareStatement(BY_EVENT_ID)) {
      dialect.bind(statement, 1, loser.applicationId);
      statement.setString(2, loser.message.eventId());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? dialect.readPresent(row, 1) : null;
      }
    }
  }
}
