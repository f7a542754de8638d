package dev.postrider.storage;

import dev.postrider.id.Id;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jspecify.annotations.Nullable;

/** One row of a result, read by column name and with nulls that are visible in the types. */
public final class Row {
  private final ResultSet result;
  private final Dialect dialect;

  private Row(ResultSet result, Dialect dialect) {
    this.result = result;
    this.dialect = dialect;
  }

  /** Converts a row of a result to an object. */
  @FunctionalInterface
  public interface Reader<T> {
    T read(Row row) throws SQLException;
  }

  public static <T> RowMapper<T> mapper(Dialect dialect, Reader<T> reader) {
    return (result, context) -> reader.read(new Row(result, dialect));
  }

  public Id id(String column) throws SQLException {
    return dialect.readPresent(result, result.findColumn(column));
  }

  public @Nullable Id idOrNull(String column) throws SQLException {
    return dialect.read(result, result.findColumn(column));
  }

  public String text(String column) throws SQLException {
    String text = result.getString(column);
    if (text == null) {
      throw new SQLException("column " + column + " is not a text");
    }
    return text;
  }

  public @Nullable String textOrNull(String column) throws SQLException {
    return result.getString(column);
  }

  public int integer(String column) throws SQLException {
    return result.getInt(column);
  }

  public @Nullable Integer integerOrNull(String column) throws SQLException {
    int value = result.getInt(column);
    return result.wasNull() ? null : value;
  }

  public long number(String column) throws SQLException {
    return result.getLong(column);
  }

  public @Nullable Long numberOrNull(String column) throws SQLException {
    long value = result.getLong(column);
    return result.wasNull() ? null : value;
  }

  public Instant time(String column) throws SQLException {
    return Instant.ofEpochMilli(number(column));
  }

  public @Nullable Instant timeOrNull(String column) throws SQLException {
    Long ms = numberOrNull(column);
    return ms == null ? null : Instant.ofEpochMilli(ms);
  }

  public boolean flag(String column) throws SQLException {
    return result.getBoolean(column);
  }

  public byte[] bytes(String column) throws SQLException {
    byte[] bytes = result.getBytes(column);
    if (bytes == null) {
      throw new SQLException("column " + column + " is not a byte array");
    }
    return bytes;
  }

  public byte @Nullable [] bytesOrNull(String column) throws SQLException {
    return result.getBytes(column);
  }
}
