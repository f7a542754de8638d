package dev.postrider.storage.sqlite;

import static java.util.Objects.requireNonNull;

import dev.postrider.disk.PrivateFile;
import dev.postrider.options.OptionNames;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.JdbiSetup;
import dev.postrider.storage.Migrator;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.TransactionParticipant;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;

/**
 * SQLite: one writer thread with one connection, a few reader threads with one each, and a
 * checkpointer. The data folder is locked while this object is open, so there is no other writer
 * and caches in memory are exact.
 */
public final class SqliteDatabase implements Database {
  static final int READERS = 3;
  static final int READ_QUEUE = 2_000;

  /** Of one statement outside a transaction, or of a whole snapshot (engine rule 33). */
  static final long READ_LIMIT_MS = 1_000;

  /**
   * When the writer itself checkpoints: the fallback of the checkpointer, whose limits are well
   * below.
   */
  public static final int CHECKPOINT_PAGES = 20_000;

  /** How long a checkpoint that empties the log waits for readers; the writer waits for it. */
  private static final int CHECKPOINT_PATIENCE_MS = 50;

  /** As many pages are copied while the writer waits, if that is to take hardly any time. */
  private static final int FEW_PAGES = 256;

  /** How often the checkpointer copies what was written meanwhile before the writer waits. */
  private static final int PASSES = 6;

  private static final System.Logger LOG = System.getLogger(SqliteDatabase.class.getName());

  private final Path file;
  private final boolean fullSync;
  private final LongSupplier machineMs;
  private final OptionNames names;
  private @Nullable FolderLock lock;
  private @Nullable Jdbi writerJdbi;
  private @Nullable SQLiteConnection writerConnection;
  private @Nullable SqliteWriter writer;
  private @Nullable ThreadPoolExecutor readers;
  private @Nullable Jdbi readerJdbi;

  @SuppressWarnings(
      "ThreadLocalUsage") // one per database object, which is what the connections belong to
  private final ThreadLocal<@Nullable SQLiteConnection> readerConnection = new ThreadLocal<>();

  @SuppressWarnings("ThreadLocalUsage") // the guard of the read that runs on this reader thread
  private final ThreadLocal<Watchdog.@Nullable Guard> current = new ThreadLocal<>();

  private final Object checkpointLock = new Object();
  private @Nullable SQLiteConnection checkpointConnection;

  private final Set<SQLiteConnection> openReaders = ConcurrentHashMap.newKeySet();
  private final Watchdog watchdog = new Watchdog("sqlite-watchdog");

  public SqliteDatabase(Path file, boolean fullSync, LongSupplier machineMs) {
    this(file, fullSync, machineMs, OptionNames.OF_LIBRARY);
  }

  public SqliteDatabase(Path file, boolean fullSync, LongSupplier machineMs, OptionNames names) {
    this.names = names;
    this.file = file.toAbsolutePath();
    this.fullSync = fullSync;
    this.machineMs = machineMs;
  }

  /** Locks the folder and opens the writer. */
  public void start() {
    try {
      lock = FolderLock.take(file, names);
      PrivateFile.create(file); // SQLite makes the log and its index with the same modes and owner
      writerConnection = open(false);
    } catch (FileSystemException e) {
      releaseLock();
      throw new StorageException(
          "cannot create or write %s (%s): make it writable for this user, or choose another folder with %s"
              .formatted(
                  e.getFile(),
                  e.getClass().getSimpleName(),
                  names.of(OptionNames.Option.DATA_FOLDER)),
          e);
    } catch (IOException | SQLException e) {
      releaseLock();
      throw new StorageException(
          "cannot open the SQLite database " + file + ": " + e.getMessage(), e);
    }
    writerJdbi =
        JdbiSetup.configure(
            Jdbi.create(new Borrowed(() -> requireNonNull(writerConnection))), Dialect.SQLITE);
    readerJdbi = JdbiSetup.configure(Jdbi.create(new Borrowed(this::threadReader)), Dialect.SQLITE);
    readerJdbi.setSqlLogger(new RestartGuard());
    writerJdbi.setSqlLogger(new RestartGuard());
    writer = new SqliteWriter(writerConnection);
    writer.start();
    readers =
        new ThreadPoolExecutor(
            READERS,
            READERS,
            60,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(READ_QUEUE),
            Thread.ofPlatform().name("sqlite-reader-", 0).factory());
    watchdog.start();
  }

  private SQLiteConnection open(boolean readOnly) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(10_000);
    config.setSynchronous(
        fullSync ? SQLiteConfig.SynchronousMode.FULL : SQLiteConfig.SynchronousMode.NORMAL);
    config.setTempStore(SQLiteConfig.TempStore.MEMORY);
    config.setCacheSize(readOnly ? -4_096 : -65_536);
    config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
    config.setGetGeneratedKeys(false); // else every insert is followed by a query of its own
    Properties properties = config.toProperties();
    properties.remove("auto_vacuum");
    SQLiteConnection connection = JDBC.createConnection("jdbc:sqlite:" + file, properties);
    try (Statement statement = connection.createStatement()) {
      if (readOnly) {
        statement.execute("PRAGMA query_only = true");
      } else {
        // Takes effect on a new file only, and only before the journal mode writes its first page.
        statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
        statement.execute("PRAGMA journal_mode = WAL");
        statement.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
        statement.execute("PRAGMA journal_size_limit = " + 96L * 1024 * 1024);
      }
    }
    return connection;
  }

  private SQLiteConnection threadReader() throws SQLException {
    SQLiteConnection connection = readerConnection.get();
    if (connection == null || connection.isClosed()) {
      connection = open(true);
      readerConnection.set(connection);
      openReaders.add(connection);
    }
    return connection;
  }

  /**
   * Gives Jdbi the connection of the current thread. Jdbi closes a connection after each use; these
   * stay open as long as their thread.
   */
  private record Borrowed(Callable<SQLiteConnection> source) implements ConnectionFactory {
    @Override
    public Connection openConnection() throws SQLException {
      try {
        return source.call();
      } catch (SQLException e) {
        throw e;
      } catch (Exception e) {
        throw new SQLException(e);
      }
    }

    @Override
    public void closeConnection(Connection connection) {}
  }

  @Override
  public Dialect dialect() {
    return Dialect.SQLITE;
  }

  @Override
  public <T extends @Nullable Object> T read(Work<T> work) {
    return onReader(() -> runRead(work));
  }

  @Override
  public <T extends @Nullable Object> T snapshot(Work<T> work) {
    return onReader(
        () ->
            runRead(
                handle -> {
                  handle.execute("BEGIN DEFERRED");
                  try {
                    current.remove(); // one limit for the whole transaction
                    return work.run(handle);
                  } finally {
                    endSnapshot(handle);
                  }
                }));
  }

  /**
   * A reader that cannot end its snapshot would block checkpoints forever: it is closed and opened
   * again.
   */
  private void endSnapshot(Handle handle) throws SQLException {
    try {
      handle.execute("COMMIT");
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "a read connection did not end its transaction and is closed", e);
      SQLiteConnection connection = threadReader();
      openReaders.remove(connection);
      connection.close();
    }
  }

  private <T extends @Nullable Object> T runRead(Work<T> work) throws Exception {
    try (Watchdog.Guard guard = watchdog.guard(threadReader(), READ_LIMIT_MS);
        Handle handle = requireNonNull(readerJdbi).open()) {
      current.set(guard);
      return work.run(handle);
    } finally {
      current.remove();
    }
  }

  /**
   * Restarts the time limit of the {@link Watchdog} for each statement outside a transaction,
   * because each one is a separate read transaction.
   */
  private final class RestartGuard implements SqlLogger {
    @Override
    public void logBeforeExecution(StatementContext context) {
      Watchdog.Guard guard = current.get();
      if (guard != null) {
        guard.restart();
      }
    }
  }

  @Override
  public <T extends @Nullable Object> T write(Work<T> given) {
    Work<T> work = TransactionParticipant.joined(given);
    return writeRaw(
        connection -> {
          try (Handle handle = requireNonNull(writerJdbi).open()) {
            return work.run(handle);
          }
        });
  }

  /** Work over the raw writer connection, on the writer thread, committed when this returns. */
  public <T extends @Nullable Object> T writeRaw(RawWork<T> work) {
    return join(requireNonNull(writer, "the database is not started").submit(work, false));
  }

  /** The same for work that hardly ever fails: the hot path. */
  public <T extends @Nullable Object> T writeHot(RawWork<T> work) {
    return join(requireNonNull(writer, "the database is not started").submit(work, true));
  }

  private <T extends @Nullable Object> T onReader(Callable<T> call) {
    ThreadPoolExecutor executor = requireNonNull(readers, "the database is not started");
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      executor.execute(() -> complete(call, result));
    } catch (RejectedExecutionException e) {
      throw new DatabaseUnavailable(
          executor.isShutdown() ? "the database is closed" : "the read queue is full", e);
    }
    return join(result);
  }

  private static <T extends @Nullable Object> T join(CompletableFuture<T> result) {
    try {
      return result.join();
    } catch (CompletionException e) {
      throw SqlFaults.translate(e.getCause() == null ? e : e.getCause());
    }
  }

  private static <T extends @Nullable Object> void complete(
      Callable<T> call, CompletableFuture<T> result) {
    try {
      result.complete(call.call());
    } catch (Throwable fault) {
      result.completeExceptionally(fault);
    }
  }

  @Override
  public long databaseMs() {
    // The database runs in this process: its clock is ours.
    return machineMs.getAsLong();
  }

  @Override
  public void migrate() {
    write(handle -> Migrator.migrate(handle, Migrator.Location.sqlite(file, names), databaseMs()));
  }

  @Override
  public int waiting() {
    return requireNonNull(writer, "the database is not started").waiting()
        + requireNonNull(readers, "the database is not started").getQueue().size();
  }

  public Path file() {
    return file;
  }

  /**
   * The size of the write-ahead log.
   *
   * @param copied pages of the log that a checkpoint has copied into the database
   */
  public record Log(int pages, int copied) {
    int left() {
      return pages - copied;
    }
  }

  public Log log() {
    synchronized (checkpointLock) {
      try (Statement statement = checkpointer().createStatement();
          ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(NOOP)")) {
        row.next();
        return new Log(row.getInt(2), row.getInt(3));
      } catch (SQLException e) {
        throw SqlFaults.translate(e);
      }
    }
  }

  /** The mode of a checkpoint. All modes copy the log into the database. */
  public enum Checkpoint {
    /** Nothing. */
    PASSIVE,
    /**
     * The next commit restarts the log in the same file: a commit into a file of sufficient size is
     * cheaper than one that extends it. Only if the writer hardly has to wait: when few pages are
     * left to be copied and no reader is in the way.
     */
    QUICK_RESTART,
    /** The same in any case. Waits for readers for a short time, and the writer waits meanwhile. */
    RESTART,
    /** The same, and truncates the file. */
    TRUNCATE
  }

  /**
   * Copies the log into the database, on the thread of the caller and a separate connection.
   *
   * @return false if a reader or the writer blocked it; nothing is lost then
   */
  public boolean checkpoint(Checkpoint kind) {
    synchronized (checkpointLock) {
      try {
        boolean copied = run("PASSIVE");
        return switch (kind) {
          case PASSIVE -> copied;
          case QUICK_RESTART -> copyUntilFewAreLeft() && withoutWriter("RESTART", 0);
          case RESTART, TRUNCATE -> {
            copyUntilFewAreLeft();
            yield withoutWriter(kind.name(), CHECKPOINT_PATIENCE_MS);
          }
        };
      } catch (Exception e) {
        throw SqlFaults.translate(e);
      }
    }
  }

  /**
   * While the writer continues. What it writes during one pass is left for the next one, until it
   * writes nothing for that long: then there is nothing to sync while it waits. It may also write
   * as fast as this copies, or a reader may be in the way.
   */
  private boolean copyUntilFewAreLeft() throws SQLException {
    int left = log().left();
    for (int pass = 1; left > 0 && pass < PASSES; pass++) {
      run("PASSIVE");
      int before = left;
      left = log().left();
      if (left > FEW_PAGES && left > before / 2) {
        break;
      }
    }
    return left <= FEW_PAGES;
  }

  private boolean withoutWriter(String mode, int patienceMs) throws Exception {
    return requireNonNull(writer, "the database is not started")
        .betweenGroups(
            () -> {
              checkpointer().setBusyTimeout(patienceMs);
              return run(mode);
            });
  }

  private SQLiteConnection checkpointer() throws SQLException {
    SQLiteConnection connection = checkpointConnection;
    if (connection == null || connection.isClosed()) {
      connection = open(false);
      checkpointConnection = connection;
    }
    return connection;
  }

  private boolean run(String mode) throws SQLException {
    try (Statement statement = checkpointer().createStatement();
        ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(" + mode + ")")) {
      return row.next() && row.getInt(1) == 0;
    }
  }

  /**
   * The pages of the file.
   *
   * @param free how many of them are not used
   */
  public record Pages(int free, int all) {}

  /** Returns up to that many free pages to the file system. */
  public Pages vacuum(int pages) {
    return writeRaw(
        connection -> {
          if (pages > 0) {
            // The pragma frees one page per step; only the driver's exec steps to the end.
            connection
                .unwrap(SQLiteConnection.class)
                .getDatabase()
                .exec("PRAGMA incremental_vacuum(" + pages + ")", false);
          }
          return new Pages(
              number(connection, "PRAGMA freelist_count"), number(connection, "PRAGMA page_count"));
        });
  }

  private static int number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  /** Free bytes on the disk of the database. */
  public long freeBytes() throws IOException {
    return Files.getFileStore(requireNonNull(file.getParent())).getUsableSpace();
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.stop();
    }
    if (readers != null) {
      readers.close();
    }
    watchdog.stop();
    openReaders.forEach(SqliteDatabase::closeQuietly);
    synchronized (checkpointLock) {
      closeQuietly(checkpointConnection);
    }
    closeQuietly(writerConnection);
    releaseLock();
  }

  private static void closeQuietly(@Nullable Connection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "close", e);
    }
  }

  private void releaseLock() {
    if (lock != null) {
      lock.close();
    }
  }
}
