package dev.postrider.storage;

import dev.postrider.id.Id;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** SQLite or PostgreSQL, with the small differences between their SQL. */
public enum Dialect {
  SQLITE {
    @Override
    public void bind(PreparedStatement statement, int index, @Nullable Id id) throws SQLException {
      statement.setBytes(index, id == null ? null : id.bytes());
    }

    @Override
    public @Nullable Id read(ResultSet row, int index) throws SQLException {
      byte[] bytes = row.getBytes(index);
      return bytes == null ? null : Id.ofBytes(bytes);
    }
  },
  POSTGRES {
    @Override
    public void bind(PreparedStatement statement, int index, @Nullable Id id) throws SQLException {
      if (id == null) {
        statement.setNull(index, Types.OTHER, "uuid");
      } else {
        statement.setObject(index, id.uuid());
      }
    }

    @Override
    public @Nullable Id read(ResultSet row, int index) throws SQLException {
      UUID uuid = (UUID) row.getObject(index);
      return uuid == null ? null : Id.of(uuid);
    }
  };

  public abstract void bind(PreparedStatement statement, int index, @Nullable Id id)
      throws SQLException;

  public abstract @Nullable Id read(ResultSet row, int index) throws SQLException;

  public Id readPresent(ResultSet row, int index) throws SQLException {
    Id id = read(row, index);
    if (id == null) {
      throw new SQLException("column " + index + " does not contain an id");
    }
    return id;
  }

  /**
   * The clause that locks rows, if there is one: SQLite has a single writer, whose transaction
   * holds the only lock.
   */
  public String lock(String clause) {
    return switch (this) {
      case SQLITE -> "";
      case POSTGRES -> clause;
    };
  }

  /** The folder of this dialect's migrations among the resources. */
  String migrationFolder() {
    return switch (this) {
      case SQLITE -> "db/sqlite";
      case POSTGRES -> "db/postgres";
    };
  }
}
