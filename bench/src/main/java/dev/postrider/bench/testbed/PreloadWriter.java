package dev.postrider.bench.testbed;

import dev.postrider.id.Id;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Collects rows for the tables of {@link Preload} and inserts them in batches. */
final class PreloadWriter {
  private final Connection connection;
  private final Storage storage;
  private final List<List<Object[]>> rows = new ArrayList<>();

  private PreloadWriter(Connection connection, Storage storage) {
    this.connection = connection;
    this.storage = storage;
    Preload.TABLES.forEach(_ -> rows.add(new ArrayList<>()));
  }

  static PreloadWriter on(Connection connection, Storage storage) throws SQLException {
    if (storage == Storage.SQLITE) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA busy_timeout = 30000");
      }
    }
    return new PreloadWriter(connection, storage);
  }

  void row(int table, Object... values) {
    rows.get(table).add(values);
  }

  void flush() throws SQLException {
    for (int i = 0; i < rows.size(); i++) {
      PreloadTable table = Preload.TABLES.get(i);
      String sql =
          "INSERT INTO %s (%s) VALUES (%s?)"
              .formatted(table.in(storage), table.columns(), "?, ".repeat(table.width() - 1));
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (Object[] row : rows.get(i)) {
          for (int c = 0; c < row.length; c++) {
            statement.setObject(c + 1, row[c] instanceof Id id ? stored(id) : row[c]);
          }
          statement.addBatch();
        }
        statement.executeBatch();
      }
      rows.get(i).clear();
    }
  }

  private Object stored(Id id) {
    return storage == Storage.POSTGRES ? id.uuid() : id.bytes();
  }
}
