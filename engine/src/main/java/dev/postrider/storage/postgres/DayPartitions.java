package dev.postrider.storage.postgres;

import dev.postrider.id.Id;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.time.Backoff;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * The tables of the schema that are partitioned by the time in an id: one partition for each UTC
 * day, and no default partition. All of them have the same days. Partitions are created before they
 * are attached and detached concurrently, because both take a weaker lock of the table than
 * PARTITION OF and a plain DETACH: no insert and no query waits for them.
 */
public final class DayPartitions {
  /** Statements that need a lock give up after this time, so that others do not queue behind. */
  static final int LOCK_TIMEOUT_MS = 200;

  static final int LOCK_TRIES = 5;

  /** How long a DETACH CONCURRENTLY waits for older transactions; it is finalized later. */
  static final int DETACH_TIMEOUT_MS = 2_000;

  /** No statement of this class takes that long, except DETACH CONCURRENTLY. */
  private static final int STATEMENT_TIMEOUT_MS = 20_000;

  /** Locks for each schema: servers on other schemas do not wait for each other. */
  private static final String CREATION = "7067114220119 + hashtext(current_schema())";

  private static final String REMOVAL = "7067214220119 + hashtext(current_schema())";
  private static final long SECONDS_OF_DAY = 86_400;
  private static final String CHECK_VIOLATION = "23514";
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String NAME = "postrider-days";
  private static final Backoff BETWEEN_TRIES = Backoff.ofMillis(50, 400);
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern LEAF = Pattern.compile("(.+)_([0-9]{8})");
  private static final DateTimeFormatter SUFFIX = DateTimeFormatter.BASIC_ISO_DATE;
  private static final System.Logger LOG = System.getLogger(DayPartitions.class.getName());

  private static final String TABLES =
      """
      SELECT c.relname FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
       WHERE c.relnamespace = current_schema()::regnamespace ORDER BY c.relname DESC
      """;

  private static final String LEAVES =
      """
      SELECT c.relname, i.inhrelid IS NOT NULL AS attached, coalesce(i.inhdetachpending, false) AS detaching
        FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$'
      """;

  /** The state of the partition of one table and day. */
  public enum State {
    ATTACHED,
    /** A DETACH CONCURRENTLY that was interrupted: invisible to new transactions. */
    DETACHING,
    DETACHED
  }

  /**
   * A day, with the state of its partition by table; a table without one is missing.
   *
   * @param states by the name of the partitioned table
   */
  public record Day(LocalDate date, Map<String, State> states) {
    /** Less than or equal to each id of the day. */
    public Id first() {
      return lower(date);
    }

    /** Greater than each id of the day. */
    public Id end() {
      return lower(date.plusDays(1));
    }

    public boolean isAttached() {
      return states.values().stream().allMatch(state -> state == State.ATTACHED);
    }
  }

  private final PostgresDatabase database;

  DayPartitions(PostgresDatabase database) {
    this.database = database;
  }

  // ---- names and bounds ----

  public static String leaf(String table, LocalDate day) {
    return table + "_" + day.format(SUFFIX);
  }

  public static LocalDate dayOf(long epochMs) {
    return dayOf(Id.floorOf(epochMs));
  }

  /** By the seconds of the id only, as the bounds are. */
  static LocalDate dayOf(Id id) {
    return LocalDate.ofEpochDay(Math.floorDiv(id.epochSecond(), SECONDS_OF_DAY));
  }

  /** The bound between the day before and this one. */
  private static Id lower(LocalDate day) {
    return Id.floorOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
  }

  /** The last day that ids can express has no end. */
  private static String upper(LocalDate day) {
    Id next = lower(day.plusDays(1));
    return dayOf(next).equals(day) ? "MAXVALUE" : quoted(next);
  }

  private static String quoted(Id id) {
    return "'" + id.uuid() + "'";
  }

  // ---- what exists ----

  /** The partitioned tables: messages before attempts. */
  public List<String> tables() {
    return run(DayPartitions::tables);
  }

  private static List<String> tables(Connection connection) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(TABLES)) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    return tables;
  }

  /** All days that have a partition, oldest first. */
  public List<Day> days() {
    return run(DayPartitions::days);
  }

  private static List<Day> days(Connection connection) throws SQLException {
    List<String> tables = tables(connection);
    Map<LocalDate, Map<String, State>> days = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(LEAVES)) {
      while (rows.next()) {
        Matcher name = LEAF.matcher(rows.getString(1));
        if (name.matches() && tables.contains(name.group(1))) {
          State state = state(rows);
          days.computeIfAbsent(LocalDate.parse(name.group(2), SUFFIX), _ -> new TreeMap<>())
              .put(name.group(1), state);
        }
      }
    }
    List<Day> all = new ArrayList<>();
    days.forEach((date, states) -> all.add(new Day(date, states)));
    return all;
  }

  // ---- creating ----

  /** Creates what is missing of these days; each day is one transaction. */
  public void create(LocalDate first, int days) {
    run(
        connection -> {
          create(connection, first, days);
          return days;
        });
  }

  /** The same on a connection whose current schema is that of the tables. */
  public static void create(Connection connection, LocalDate first, int days) throws SQLException {
    for (int i = 0; i < days; i++) {
      create(connection, first.plusDays(i));
    }
  }

  /**
   * If a row could not be inserted because its day has no partition: creates the day and returns
   * true, so that the caller inserts again.
   *
   * @throws DatabaseUnavailable if it cannot be created now
   */
  boolean createFor(Throwable fault) {
    Id id = missing(fault);
    if (id == null) {
      return false;
    }
    create(dayOf(id), 1);
    return true;
  }

  /**
   * The partition key of the row that fits into no partition. PostgreSQL reports it with the code
   * of a violated check, but without the name of one; messages are translated, so they are not
   * read.
   */
  private static @Nullable Id missing(Throwable fault) {
    for (Throwable t = fault; t != null; t = t.getCause()) {
      if (t instanceof PSQLException sql && CHECK_VIOLATION.equals(sql.getSQLState())) {
        ServerErrorMessage message = sql.getServerErrorMessage();
        if (message == null
            || message.getConstraint() != null
            || message.getTable() == null
            || message.getDetail() == null) {
          return null;
        }
        Matcher key = UUID_TEXT.matcher(message.getDetail());
        return key.find() ? Id.of(UUID.fromString(key.group())) : null;
      }
    }
    return null;
  }

  private static void create(Connection connection, LocalDate day) throws SQLException {
    locking(
        connection,
        statement -> {
          // Two instances that create the same day: the second finds it.
          statement.execute("SELECT pg_advisory_xact_lock(" + CREATION + ")");
          for (String table : tables(connection)) {
            create(connection, table, day);
          }
        });
  }

  private static void create(Connection connection, String table, LocalDate day)
      throws SQLException {
    String leaf = leaf(table, day);
    State state = state(connection, leaf);
    if (state == State.ATTACHED) {
      return;
    }
    if (state == State.DETACHING) {
      throw new DatabaseUnavailable("the partition " + leaf + " is being removed");
    }
    try (Statement statement = connection.createStatement()) {
      if (state == null) {
        statement.execute(
            "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)"
                .formatted(leaf, table));
      }
      attach(statement, table, day);
    }
    LOG.log(Level.DEBUG, "created the partition {0}", leaf);
  }

  private static void attach(Statement statement, String table, LocalDate day) throws SQLException {
    statement.execute(
        "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)"
            .formatted(table, leaf(table, day), quoted(lower(day)), upper(day)));
  }

  private static @Nullable State state(Connection connection, String leaf) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(LEAVES + " AND c.relname = ?")) {
      query.setString(1, leaf);
      try (ResultSet row = query.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        return state(row);
      }
    }
  }

  private static State state(ResultSet row) throws SQLException {
    if (!row.getBoolean(2)) {
      return State.DETACHED;
    }
    return row.getBoolean(3) ? State.DETACHING : State.ATTACHED;
  }

  // ---- removing ----

  /**
   * Removes the empty partitions of a day: detached, checked and dropped, table by table. Continues
   * where an earlier removal was interrupted. A partition that got a row meanwhile is attached
   * again.
   *
   * @return whether the day is gone; if not, something uses it, and a later call continues
   */
  public boolean remove(LocalDate day) {
    return run(
        connection -> {
          // One instance at a time: two that detach the same partition disturb each other.
          if (!ask(connection, "SELECT pg_try_advisory_lock(" + REMOVAL + ")")) {
            return false;
          }
          try {
            boolean gone = true;
            for (String table : tables(connection)) {
              gone &= remove(connection, table, day);
            }
            return gone;
          } finally {
            ask(connection, "SELECT pg_advisory_unlock(" + REMOVAL + ")");
          }
        });
  }

  private static boolean ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() && row.getBoolean(1);
    }
  }

  private static boolean remove(Connection connection, String table, LocalDate day)
      throws SQLException {
    String leaf = leaf(table, day);
    try {
      State state = state(connection, leaf);
      if (state == null) {
        return true;
      }
      if (state == State.ATTACHED && holdsRows(connection, leaf)) {
        return false;
      }
      if (state != State.DETACHED) {
        detach(connection, table, leaf, state);
      }
      return drop(connection, table, day);
    } catch (SQLException e) {
      if (SqlFaults.of(e) == SqlFaults.UNAVAILABLE) {
        LOG.log(Level.INFO, "the partition {0} is in use, it is removed later", leaf);
        return false;
      }
      throw e;
    }
  }

  /** Not in a transaction, as PostgreSQL requires. */
  private static void detach(Connection connection, String table, String leaf, State state)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = " + LOCK_TIMEOUT_MS);
      statement.execute("SET statement_timeout = " + DETACH_TIMEOUT_MS);
      try {
        statement.execute(
            "ALTER TABLE %s DETACH PARTITION %s %s"
                .formatted(table, leaf, state == State.DETACHING ? "FINALIZE" : "CONCURRENTLY"));
      } finally {
        statement.execute("SET statement_timeout = " + STATEMENT_TIMEOUT_MS);
        statement.execute("RESET lock_timeout");
      }
    }
  }

  /** Nobody can insert into it any more; what was inserted before the detach is kept. */
  private static boolean drop(Connection connection, String table, LocalDate day)
      throws SQLException {
    String leaf = leaf(table, day);
    boolean[] dropped = new boolean[1];
    locking(
        connection,
        statement -> {
          // Another instance may have finished this, and created the day again.
          statement.execute("SELECT pg_advisory_xact_lock(" + CREATION + ")");
          State state = state(connection, leaf);
          dropped[0] = state == null;
          if (state != State.DETACHED) {
            return;
          }
          if (holdsRows(connection, leaf)) {
            attach(statement, table, day);
          } else {
            statement.execute("DROP TABLE " + leaf);
            dropped[0] = true;
          }
        });
    return dropped[0];
  }

  /** Whether a statement failed because its partition does not exist any more. */
  public static boolean isGone(Throwable fault) {
    for (Throwable t = fault; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql && UNDEFINED_TABLE.equals(sql.getSQLState())) {
        return true;
      }
    }
    return false;
  }

  private static boolean holdsRows(Connection connection, String leaf) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT 1 FROM " + leaf + " LIMIT 1")) {
      return row.next();
    }
  }

  // ---- connections and locks ----

  /** Work of this class or of its callers, on a connection of its own. */
  public interface Work<T extends @Nullable Object> {
    T run(Connection connection) throws SQLException;
  }

  /** Statements of one transaction that takes locks. */
  public interface Locking {
    void run(Statement statement) throws SQLException;
  }

  /**
   * Runs the work on a connection of its own, in autocommit mode.
   *
   * @throws DatabaseUnavailable if the database is, or if a lock was not free
   */
  public <T extends @Nullable Object> T run(Work<T> work) {
    return run(STATEMENT_TIMEOUT_MS, work);
  }

  public <T extends @Nullable Object> T run(int statementTimeoutMs, Work<T> work) {
    try {
      Connection connection = database.connect(NAME, statementTimeoutMs);
      try {
        return work.run(connection);
      } finally {
        database.release(connection);
      }
    } catch (SQLException e) {
      throw SqlFaults.translate(e);
    }
  }

  /**
   * Runs the statements in one transaction with a short lock timeout, several times if a lock is
   * not free.
   */
  public static void locking(Connection connection, Locking work) throws SQLException {
    for (int run = 1; ; run++) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET LOCAL lock_timeout = " + LOCK_TIMEOUT_MS);
        work.run(statement);
        connection.commit();
        return;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        boolean again =
            e instanceof SQLException sql
                && (LOCK_NOT_AVAILABLE.equals(sql.getSQLState())
                    || SqlFaults.of(sql) == SqlFaults.CONFLICT);
        if (!again || run == LOCK_TRIES) {
          throw e;
        }
        LOG.log(Level.DEBUG, "waiting for a lock: {0}", e.getMessage());
      } finally {
        connection.setAutoCommit(true);
      }
      BETWEEN_TRIES.pause(run);
    }
  }

  /** The error for a statement that failed for want of a partition that exists now. */
  static StorageException createdMeanwhile(Throwable fault) {
    String message = "the partition of a day was missing and has been created";
    return new StorageException(message, new SQLException(message, "40001", fault));
  }
}
