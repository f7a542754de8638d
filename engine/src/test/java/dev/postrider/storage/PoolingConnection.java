package dev.postrider.storage;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.sqlite.jdbc4.JDBC4Connection;
import org.sqlite.jdbc4.JDBC4PreparedStatement;

/**
 * A SQLite in memory that keeps its prepared statements: preparing them is most of what small
 * statements on a small database cost.
 */
final class PoolingConnection extends JDBC4Connection {
  private final Map<String, Deque<Kept>> idle = new HashMap<>();
  private final List<Kept> lent = new ArrayList<>();

  PoolingConnection(Properties properties) throws SQLException {
    super("jdbc:sqlite::memory:", ":memory:", properties);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return take(sql);
  }

  /** Statements that were never closed are free again: their users are gone. */
  void takeBack() throws SQLException {
    for (Kept statement : List.copyOf(lent)) {
      statement.close();
    }
  }

  void run(String sql) throws SQLException {
    try (Kept statement = take(sql)) {
      statement.executeUpdate();
    }
  }

  private Kept take(String sql) throws SQLException {
    Kept free = idle(sql).pollLast();
    Kept statement = free == null ? new Kept(sql) : free;
    statement.place = lent.size();
    lent.add(statement);
    return statement;
  }

  private Deque<Kept> idle(String sql) {
    return idle.computeIfAbsent(sql, _ -> new ArrayDeque<>());
  }

  /** Closing it only gives it back. */
  private final class Kept extends JDBC4PreparedStatement {
    private static final int NOWHERE = -1;

    private final String text;

    /** Where it stands among the lent ones. */
    private int place = NOWHERE;

    Kept(String text) throws SQLException {
      super(PoolingConnection.this, text);
      this.text = text;
    }

    @Override
    public void close() throws SQLException {
      if (place == NOWHERE) {
        return;
      }
      Kept last = lent.removeLast();
      if (last != this) {
        lent.set(place, last);
        last.place = place;
      }
      place = NOWHERE;
      if (pointer.isClosed()) {
        super.close(); // the driver does that after a fault
      } else {
        clearParameters();
        clearBatch();
        idle(text).add(this);
      }
    }
  }
}
