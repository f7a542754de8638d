package dev.postrider.bench.rig;

import dev.postrider.id.Id;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Rows for the tables of {@link Stock}, gathered and written in one go. */
sealed interface StockWriter {
  void row(int table, Object... values);

  void flush() throws SQLException, IOException;

  static StockWriter copying(Connection connection) throws SQLException {
    return new Copying(connection.unwrap(PGConnection.class).getCopyAPI());
  }

  static StockWriter inserting(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 30000");
    }
    return new Inserting(connection);
  }

  /** PostgreSQL: COPY in its text form. */
  final class Copying implements StockWriter {
    private final CopyManager copy;
    private final List<StringBuilder> lines = new ArrayList<>();

    private Copying(CopyManager copy) {
      this.copy = copy;
      Stock.TABLES.forEach(_ -> lines.add(new StringBuilder()));
    }

    @Override
    public void row(int table, Object... values) {
      StringBuilder line = lines.get(table);
      for (int i = 0; i < values.length; i++) {
        line.append(i == 0 ? "" : "\t");
        switch (values[i]) {
          case Id id -> line.append(id.uuid());
          case byte[] bytes -> line.append("\\\\x").append(HexFormat.of().formatHex(bytes));
          case Object other -> line.append(other);
        }
      }
      line.append('\n');
    }

    @Override
    public void flush() throws SQLException, IOException {
      for (int i = 0; i < lines.size(); i++) {
        StockTable table = Stock.TABLES.get(i);
        copy.copyIn(
            "COPY %s (%s) FROM STDIN".formatted(table.in(Storage.POSTGRES), table.columns()),
            new StringReader(lines.get(i).toString()));
        lines.get(i).setLength(0);
      }
    }
  }

  /** SQLite: batches of inserts. */
  final class Inserting implements StockWriter {
    private final Connection connection;
    private final List<List<Object[]>> rows = new ArrayList<>();

    private Inserting(Connection connection) {
      this.connection = connection;
      Stock.TABLES.forEach(_ -> rows.add(new ArrayList<>()));
    }

    @Override
    public void row(int table, Object... values) {
      rows.get(table).add(values);
    }

    @Override
    public void flush() throws SQLException {
      for (int i = 0; i < rows.size(); i++) {
        StockTable table = Stock.TABLES.get(i);
        String sql =
            "INSERT INTO %s (%s) VALUES (%s?)"
                .formatted(table.name(), table.columns(), "?, ".repeat(table.width() - 1));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          for (Object[] row : rows.get(i)) {
            for (int c = 0; c < row.length; c++) {
              statement.setObject(c + 1, row[c] instanceof Id id ? id.bytes() : row[c]);
            }
            statement.addBatch();
          }
          statement.executeBatch();
        }
        rows.get(i).clear();
      }
    }
  }
}
