package dev.postrider.storage.postgres;

import static java.util.Objects.requireNonNull;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.OptionNames;
import dev.postrider.options.OptionNames.Option;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.JdbiSetup;
import dev.postrider.storage.Migrator;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.TransactionParticipant;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL: a pool for ordinary work; {@link #connect} returns dedicated connections for the hot
 * path and the listener.
 */
public final class PostgresDatabase implements Database {
  static final int RERUNS = 10;

  /**
   * Any constant that no other program on that server is likely to use; see {@link #migrationLock}.
   */
  private static final long MIGRATION_LOCK = 7_067_114_220_118L;

  private static final System.Logger LOG = System.getLogger(PostgresDatabase.class.getName());

  private final PostgresConnections connections;
  private final String schema;
  private final OptionNames names;
  private final DayPartitions days = new DayPartitions(this);
  private @Nullable Jdbi jdbi;

  public PostgresDatabase(DatabaseOptions.Postgres options) {
    this(options, OptionNames.OF_LIBRARY);
  }

  public PostgresDatabase(DatabaseOptions.Postgres options, OptionNames names) {
    this(new OwnConnections(options), options.schema(), names);
  }

  /** With connections of the caller's pool; the pool is not closed. */
  public PostgresDatabase(DatabaseOptions.Given options, OptionNames names) {
    this(new GivenConnections(options.dataSource(), options.schema()), options.schema(), names);
  }

  private PostgresDatabase(PostgresConnections connections, String schema, OptionNames names) {
    if (!schema.matches("[a-z_][a-z0-9_]{0,62}")) {
      throw new StorageException(
          names.of(Option.DATABASE_SCHEMA)
              + " must be lower-case letters, digits and underscores, not '"
              + schema
              + "'",
          null);
    }
    this.connections = connections;
    this.schema = schema;
    this.names = names;
  }

  @Override
  public int waiting() {
    return connections.waiting();
  }

  public String schema() {
    return schema;
  }

  /** The partitions of the tables that are partitioned by day. */
  public DayPartitions days() {
    return days;
  }

  /** The fix for a failed start; the message of the server contains only the problem. */
  private String fix(SQLException e) {
    String url = names.of(Option.DATABASE_URL);
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return switch (state) {
      case "3D000" -> ". Create it with createdb, or set another database in " + url;
      case "28000", "28P01" -> ". Correct the user and password in " + url;
      case "42501" ->
          ". Allow this user to create the schema of "
              + names.of(Option.DATABASE_SCHEMA)
              + ", or migrate as a user with that permission";
      case "53300" -> ". Close other connections, or raise max_connections of PostgreSQL";
      default -> state.startsWith("08") ? " Or correct " + url + "." : "";
    };
  }

  /** Opens the pool, creates the schema and rejects a proxy that would break session state. */
  public void start() {
    String server;
    try (Connection first = connect("postrider-start", 0);
        Connection second = connect("postrider-start", 0)) {
      refuseTransactionPooling(first, second);
      makeSchema(first);
      server = serverOf(first);
    } catch (SQLException e) {
      throw new StorageException(
          "cannot use PostgreSQL at " + connections + ": " + e.getMessage() + fix(e), e);
    }
    jdbi = JdbiSetup.configure(Jdbi.create(connections.pool()), Dialect.POSTGRES);
    if (isProxied()) {
      checkProxy(server);
    }
  }

  private boolean isProxied() {
    return !connections.transactionSettings().isEmpty();
  }

  /** The pool must lead to the same database, and not to a standby of it. */
  private void checkProxy(String server) {
    String url = names.of(Option.API_DATABASE_URL);
    String other;
    try {
      other = read(handle -> serverOf(handle.getConnection()));
    } catch (StorageException | DatabaseUnavailable e) {
      close();
      throw new StorageException(
          "cannot use the connections of " + url + ": " + e.getMessage() + ". Correct " + url, e);
    }
    if (!other.equals(server)) {
      close();
      throw new StorageException(
          url
              + " leads to another database than "
              + names.of(Option.DATABASE_URL)
              + ": set both to the same database of the same server",
          null);
    }
  }

  private static String serverOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT pg_postmaster_start_time()::text || ' ' || current_database()")) {
      rows.next();
      return rows.getString(1);
    }
  }

  /**
   * Checks first, because creating it needs a permission on the whole database even if it exists;
   * under the lock, because two concurrent starts would both find it missing.
   */
  private void makeSchema(Connection connection) throws SQLException {
    if (schemaExists(connection)) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(" + migrationLock() + ")");
      try {
        statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
      } finally {
        statement.execute("SELECT pg_advisory_unlock(" + migrationLock() + ")");
      }
    }
  }

  /** One for each schema: starts on other schemas do not wait for each other. */
  private long migrationLock() {
    return MIGRATION_LOCK + schema.hashCode();
  }

  private boolean schemaExists(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM pg_namespace WHERE nspname = ?")) {
      statement.setString(1, schema);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /**
   * A dedicated connection, in autocommit mode, with connect and socket timeouts so that a silent
   * network failure cannot hang it.
   */
  public Connection connect(String name, int statementTimeoutMs) throws SQLException {
    return connections.dedicated(name, statementTimeoutMs);
  }

  /** Returns such a connection. */
  void release(Connection connection) throws SQLException {
    connections.release(connection);
  }

  /**
   * Behind a transaction-pooling proxy two statements of one connection may run on two server
   * sessions: prepared statements, LISTEN and session settings then break in ways that lose time or
   * work (engine rule 5).
   */
  private void refuseTransactionPooling(Connection first, Connection second) throws SQLException {
    int before = backend(first);
    int again = backend(first); // a proxy with a round-robin pool returns another session now
    second.setAutoCommit(false);
    backend(second);
    int whileOtherIsBusy =
        backend(first); // a proxy that returns the last used session must return another one now
    second.commit();
    second.setAutoCommit(true);
    if (before != again || before != whileOtherIsBusy) {
      throw new StorageException(
          "PostgreSQL is behind a proxy with transaction pooling: set "
              + names.of(Option.DATABASE_URL)
              + " to the server itself, or configure the proxy for session pooling",
          null);
    }
  }

  private static int backend(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Override
  public Dialect dialect() {
    return Dialect.POSTGRES;
  }

  @Override
  public <T extends @Nullable Object> T read(Work<T> work) {
    try (Handle handle = open()) {
      return isProxied() ? handle.inTransaction(own(work, "")) : work.run(handle);
    } catch (Exception e) {
      throw SqlFaults.translate(e);
    }
  }

  @Override
  public <T extends @Nullable Object> T snapshot(Work<T> work) {
    try (Handle handle = open()) {
      // Differs because the driver sets the level of a session, which a proxy gives to others.
      return isProxied()
          ? handle.inTransaction(own(work, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; "))
          : handle.inTransaction(TransactionIsolationLevel.REPEATABLE_READ, work::run);
    } catch (Exception e) {
      throw SqlFaults.translate(e);
    }
  }

  @Override
  public <T extends @Nullable Object> T write(Work<T> given) {
    Work<T> work = TransactionParticipant.joined(given);
    for (int run = 1; ; run++) {
      try (Handle handle = open()) {
        T result = handle.inTransaction(isProxied() ? own(work, "") : work::run);
        Replication.check(handle.getConnection());
        return result;
      } catch (Exception e) {
        boolean again = SqlFaults.of(e) == SqlFaults.CONFLICT || days.createFor(e);
        if (!again || run == RERUNS) {
          throw SqlFaults.translate(e);
        }
        LOG.log(Level.DEBUG, "retrying a transaction after {0}", e.getMessage());
      }
    }
  }

  /** The work in a transaction with settings of its own. */
  private <T extends @Nullable Object> HandleCallback<T, Exception> own(
      Work<T> work, String before) {
    return handle -> {
      try (Statement statement = handle.getConnection().createStatement()) {
        statement.execute(before + connections.transactionSettings());
      }
      return work.run(handle);
    };
  }

  private Handle open() {
    if (connections.isClosed()) {
      throw new DatabaseUnavailable("the database is closed");
    }
    return requireNonNull(jdbi, "the database is not started").open();
  }

  @Override
  public long databaseMs() {
    return read(
        handle ->
            handle
                .createQuery("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .mapTo(Long.class)
                .one());
  }

  @Override
  public void migrate() {
    if (!isProxied()) {
      write(this::migrate);
      return;
    }
    try (PostgresDedicatedConnection direct =
        new PostgresDedicatedConnection(this, "postrider-migrate", List.of(), 0)) {
      direct.write(this::migrate);
    }
  }

  private boolean migrate(Handle handle) {
    handle.execute("SELECT pg_advisory_xact_lock(?)", migrationLock());
    long now =
        handle
            .createQuery("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            .mapTo(Long.class)
            .one();
    Migrator.migrate(handle, Migrator.Location.postgres(schema, names), now);
    return true;
  }

  @Override
  public void close() {
    connections.close();
  }
}
