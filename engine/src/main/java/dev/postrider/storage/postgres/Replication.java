package dev.postrider.storage.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/**
 * Notices that PostgreSQL stopped waiting for a synchronous standby, because of a statement timeout
 * or a shutdown. The transaction is then committed on this server only, and a failover would lose
 * it, but PostgreSQL reports no error: it is a warning of the commit. The caller handles it like a
 * commit whose result was lost.
 */
public final class Replication {
  /** The function of PostgreSQL that reports it; the text is translated. */
  private static final String WAIT = "SyncRepWaitForLSN";

  /** Transaction resolution unknown. */
  private static final String UNKNOWN = "08007";

  private Replication() {}

  /** After a statement that committed by itself: its warnings are those of the commit. */
  public static void check(Statement statement) throws SQLException {
    check(statement.getWarnings());
  }

  /** After a transaction. */
  static void check(Connection connection) throws SQLException {
    SQLWarning warnings = connection.getWarnings();
    if (warnings != null) {
      connection.clearWarnings();
      check(warnings);
    }
  }

  /**
   * Commits an empty transaction that is replicated all the same, and with it all that was
   * committed before.
   */
  public static void await(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_logical_emit_message(true, 'postrider', '')");
      check(statement);
    }
  }

  private static void check(@Nullable SQLWarning first) throws SQLException {
    for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
      ServerErrorMessage message =
          warning instanceof PSQLWarning postgres ? postgres.getServerErrorMessage() : null;
      if (message != null && WAIT.equals(message.getRoutine())) {
        throw new SQLTransientConnectionException(
            "a commit was not replicated: " + warning.getMessage(), UNKNOWN, warning);
      }
    }
  }
}
