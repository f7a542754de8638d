package dev.postrider.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cache of prepared statements of the SQLite writer. Used on the thread of the writer only. After
 * an error the driver may have closed a statement internally, so all are prepared again.
 */
public final class StatementCache {
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private @Nullable Connection owner;

  /** Runs the work with statements that stay open after it. */
  public <T> T run(Connection connection, Work<T> work) throws SQLException {
    if (owner != connection) {
      forget();
      owner = connection;
    }
    try {
      return work.run(this);
    } catch (SQLException | RuntimeException e) {
      forget();
      throw e;
    }
  }

  public PreparedStatement of(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      if (owner == null) {
        throw new IllegalStateException(
            "statements are available only while work runs on the connection");
      }
      known = owner.prepareStatement(sql);
      statements.put(sql, known);
    }
    return known;
  }

  private void forget() {
    owner = null;
    for (PreparedStatement statement : statements.values()) {
      try {
        statement.close();
      } catch (SQLException e) {
        // Its connection is closed, and the statement with it.
      }
    }
    statements.clear();
  }

  /** Code that runs prepared statements of the cache. */
  @FunctionalInterface
  public interface Work<T> {
    T run(StatementCache prepared) throws SQLException;
  }
}
