package dev.postrider.storage.postgres;

import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.JdbiSetup;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.TransactionParticipant;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** A dedicated PostgreSQL connection with session settings, reopened after an error. */
public final class PostgresDedicatedConnection implements DedicatedConnection {
  /**
   * A plan made on an empty table must stay right when the table has grown: never a scan, and one
   * generic plan. (A finish planned on an empty table read 46 million rows by sequential scan.) The
   * isolation level is that of PostgreSQL by default, whatever the server has: a statement that
   * inserts idempotency keys takes its snapshot after its locks (docs/adr/0030).
   */
  public static final List<String> INDEX_PLANS =
      List.of(
          "SET plan_cache_mode = force_generic_plan",
          "SET enable_seqscan = off",
          "SET jit = off",
          "SET default_transaction_isolation = 'read committed'");

  /**
   * For joins of a small batch with a large table by key: nested loops over the key, whatever the
   * statistics say. With a high cost for each row, a table that has few rows now and many later is
   * not planned as a scan of its whole index: deliveries has rows only for what does not succeed at
   * once.
   */
  public static final List<String> NESTED_LOOPS =
      List.of(
          "SET enable_hashjoin = off",
          "SET enable_mergejoin = off",
          "SET enable_bitmapscan = off",
          "SET cpu_tuple_cost = 1");

  /**
   * The same for statements over lists of keys whose plans may differ with the length of the list.
   */
  public static final List<String> KEY_LOOK_UPS =
      List.of(
          "SET enable_seqscan = off",
          "SET enable_hashjoin = off",
          "SET enable_mergejoin = off",
          "SET jit = off");

  /** The names of all settings in these lists. */
  static Stream<String> settingNames() {
    return Stream.of(INDEX_PLANS, NESTED_LOOPS, KEY_LOOK_UPS)
        .flatMap(List::stream)
        .map(set -> set.substring("SET ".length(), set.indexOf(" =")))
        .distinct();
  }

  private static final System.Logger LOG =
      System.getLogger(PostgresDedicatedConnection.class.getName());

  private final PostgresDatabase database;
  private final String name;
  private final List<String> sessionSettings;
  private final int statementTimeoutMs;
  private final Jdbi jdbi = JdbiSetup.configure(Jdbi.create(new Lending()), Dialect.POSTGRES);
  private @Nullable Connection connection;

  public PostgresDedicatedConnection(
      PostgresDatabase database, String name, List<String> sessionSettings) {
    this(database, name, sessionSettings, STATEMENT_TIMEOUT_MS);
  }

  public PostgresDedicatedConnection(
      PostgresDatabase database,
      String name,
      List<String> sessionSettings,
      int statementTimeoutMs) {
    this.database = database;
    this.statementTimeoutMs = statementTimeoutMs;
    this.name = name;
    this.sessionSettings = sessionSettings;
  }

  @Override
  public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
    try {
      T result = work.run(open());
      Replication.check(open());
      return result;
    } catch (Exception e) {
      SqlFaults kind = SqlFaults.of(e);
      if (kind == SqlFaults.UNAVAILABLE || kind == SqlFaults.BUG) {
        drop();
      }
      if (kind == SqlFaults.BAD_DATA && database.days().createFor(e)) {
        throw DayPartitions.createdMeanwhile(e);
      }
      throw SqlFaults.translate(e);
    }
  }

  @Override
  public <T extends @Nullable Object> T write(Database.Work<T> given) {
    Database.Work<T> work = TransactionParticipant.joined(given);
    for (int run = 1; ; run++) {
      try {
        return this.<T>run(_ -> transaction(work));
      } catch (StorageException e) {
        if (SqlFaults.of(e) != SqlFaults.CONFLICT || run == PostgresDatabase.RERUNS) {
          throw e;
        }
        LOG.log(Level.DEBUG, "retrying a transaction after {0}", e.getMessage());
      }
    }
  }

  private <T extends @Nullable Object> T transaction(Database.Work<T> work) throws Exception {
    // A rollback that failed leaves its transaction open, and this one would become a part of it.
    if (!open().getAutoCommit()) {
      drop();
    }
    try (Handle handle = jdbi.open()) {
      return handle.inTransaction(work::run);
    }
  }

  /** Lends the connection to handles; closing a handle does not close it. */
  private final class Lending implements ConnectionFactory {
    @Override
    public Connection openConnection() throws SQLException {
      return open();
    }

    @Override
    public void closeConnection(Connection lent) {}
  }

  private Connection open() throws SQLException {
    Connection current = connection;
    if (current == null) {
      current = database.connect(name, statementTimeoutMs);
      try (Statement statement = current.createStatement()) {
        for (String setting : sessionSettings) {
          statement.execute(setting);
        }
      }
      connection = current;
    }
    return current;
  }

  private void drop() {
    Connection current = connection;
    connection = null;
    if (current != null) {
      try {
        database.release(current);
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "close", e);
      }
    }
  }

  @Override
  public void close() {
    drop();
  }
}
