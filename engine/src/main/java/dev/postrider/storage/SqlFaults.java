package dev.postrider.storage;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Classifies SQL errors as invalid data, a conflict that a retry resolves, or an unavailable
 * database.
 */
public enum SqlFaults {
  /** Invalid data (SQLSTATE class 22 or 23): permanent, but only one row causes it. */
  BAD_DATA,
  /** Deadlock or serialization failure: retry. */
  CONFLICT,
  /** Connection lost, server starting or stopping, lock timeout, disk full: wait and retry. */
  UNAVAILABLE,
  /** Anything else: a bug. */
  BUG;

  private static final int SQLITE_FULL = 13;
  private static final String POSTGRES_DISK_FULL = "53100";

  public static SqlFaults of(Throwable fault) {
    SQLException sql = sqlException(fault);
    return sql == null ? BUG : of(sql);
  }

  private static SqlFaults of(SQLException fault) {
    if (fault instanceof SQLiteException sqlite) {
      return of(sqlite.getResultCode());
    }
    String state = fault.getSQLState();
    if (state == null) {
      return fault instanceof SQLTransientException || fault instanceof SQLRecoverableException
          ? UNAVAILABLE
          : BUG;
    }
    return switch (state) {
      case "40001", "40P01" -> CONFLICT;
      // lock_not_available, query_canceled (statement timeout), read_only_sql_transaction (a
      // demoted primary)
      case "55P03", "57014", "25006" -> UNAVAILABLE;
      default ->
          switch (state.substring(0, 2)) {
            // 54: a value too long for an index
            case "22", "23", "54" -> BAD_DATA;
            case "08", "53", "57", "58" -> UNAVAILABLE;
            default -> fault instanceof SQLTransientException ? UNAVAILABLE : BUG;
          };
    };
  }

  private static SqlFaults of(SQLiteErrorCode code) {
    return switch (code.code & 0xFF) {
      case 19, 20, 18 -> BAD_DATA; // CONSTRAINT, MISMATCH, TOOBIG
      // BUSY, LOCKED, NOMEM, READONLY (a remounted disk), INTERRUPT, IOERR, FULL, CANTOPEN,
      // PROTOCOL
      case 5, 6, 7, 8, 9, 10, SQLITE_FULL, 14, 15 -> UNAVAILABLE;
      default -> BUG;
    };
  }

  static @Nullable SQLException sqlException(Throwable fault) {
    for (Throwable t = fault; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }

  /** The error as the exception that callers handle. */
  public static RuntimeException translate(Throwable fault) {
    if (fault instanceof DatabaseUnavailable || fault instanceof StorageException) {
      return (RuntimeException) fault;
    }
    SQLException sql = sqlException(fault);
    if (sql == null) {
      return fault instanceof RuntimeException runtime
          ? runtime
          : new StorageException(String.valueOf(fault.getMessage()), fault);
    }
    return switch (of(fault)) {
      case UNAVAILABLE ->
          diskFull(sql)
              ? new DiskFull("the disk of the database is full: " + sql.getMessage(), fault)
              : new DatabaseUnavailable("the database is unavailable: " + sql.getMessage(), fault);
      case BAD_DATA, CONFLICT, BUG -> new StorageException(String.valueOf(sql.getMessage()), fault);
    };
  }

  private static boolean diskFull(SQLException fault) {
    return fault instanceof SQLiteException sqlite
        ? (sqlite.getResultCode().code & 0xFF) == SQLITE_FULL
        : POSTGRES_DISK_FULL.equals(fault.getSQLState());
  }
}
