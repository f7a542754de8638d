package dev.postrider.storage.sqlite;

import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The single writer thread. All queued work goes into one transaction and is completed after the
 * common commit: one fsync serves accepts, finishes and everything else. Each piece runs under its
 * own savepoint, except the hot ones: they hardly ever fail, and under a savepoint SQLite keeps a
 * copy of every page that they change.
 */
final class SqliteWriter {
  static final int QUEUE = 10_000;
  static final int GROUP = 32;
  static final Duration STOP_WITHIN = Duration.ofSeconds(30);
  private static final System.Logger LOG = System.getLogger(SqliteWriter.class.getName());

  private final Connection connection;
  private final BlockingQueue<Task<?>> queue = new LinkedBlockingQueue<>(QUEUE);
  private final List<Task<?>> group = new ArrayList<>(GROUP);
  private final PeriodicLoop loop =
      new PeriodicLoop(
          "sqlite-writer",
          this::turn,
          PeriodicLoop.Options.DEFAULT.nonDaemon().endsWhen(queue::isEmpty).atEnd(this::end));
  private final ReentrantLock between = new ReentrantLock(true);
  private volatile boolean ended;

  SqliteWriter(Connection connection) {
    this.connection = connection;
  }

  void start() {
    loop.start();
  }

  /**
   * @param hot its failure fails the whole group, which is then run piece by piece
   */
  <T extends @Nullable Object> CompletableFuture<T> submit(Database.RawWork<T> work, boolean hot) {
    Task<T> task = new Task<>(work, hot);
    if (loop.isStopping()) {
      task.fail(new DatabaseUnavailable("the database is closed"));
    } else if (!queue.offer(task)) {
      task.fail(new DatabaseUnavailable("the write queue is full"));
    } else if (ended) {
      // The loop may have checked for the last time just before: nobody else would respond.
      failRest();
    }
    return task.result;
  }

  /**
   * Runs something while no transaction is open. The locks of SQLite are not fair: a thread that
   * polls a busy writer may wait forever.
   */
  <T extends @Nullable Object> T betweenGroups(Callable<T> work) throws Exception {
    between.lock();
    try {
      return work.call();
    } finally {
      between.unlock();
    }
  }

  int waiting() {
    return queue.size();
  }

  /** Finishes the queued work, then stops. */
  void stop() {
    loop.requestStop();
    queue.offer(new Task<>(_ -> true, true)); // it may be waiting for something to come
    loop.stop(STOP_WITHIN);
  }

  private long turn() throws InterruptedException {
    Task<?> first = queue.poll(200, TimeUnit.MILLISECONDS);
    if (first == null) {
      return 0;
    }
    group.add(first);
    queue.drainTo(group, GROUP - 1);
    between.lock();
    try {
      runGroup(group);
    } finally {
      between.unlock();
      group.clear();
    }
    return 0;
  }

  private void end() {
    ended = true;
    failRest();
  }

  private void failRest() {
    List<Task<?>> rest = new ArrayList<>();
    queue.drainTo(rest);
    rest.forEach(task -> task.fail(new DatabaseUnavailable("the database is closed")));
  }

  /**
   * An error that ended the common transaction is caused by one piece: each is then run in its own
   * transaction.
   */
  private void runGroup(List<Task<?>> group) {
    Throwable fault = commitTogether(group);
    if (fault == null) {
      group.forEach(Task::complete);
    } else if (group.size() == 1) {
      group.getFirst().fail(fault);
    } else {
      group.forEach(task -> runGroup(List.of(task)));
    }
  }

  /** Null if the group is committed, else the error that rolled it back. */
  private @Nullable Throwable commitTogether(List<Task<?>> group) {
    try {
      connection.setAutoCommit(false);
      for (Task<?> task : group) {
        if (task.hot) {
          task.runOrThrow(connection);
        } else {
          runUnderSavepoint(task, group.size() > 1);
        }
      }
      connection.commit();
      return null;
    } catch (Throwable fault) {
      rollback();
      return fault;
    } finally {
      restoreAutoCommit();
    }
  }

  /**
   * A piece that fails rolls back only itself; a transaction that SQLite itself has ended fails the
   * group.
   */
  private void runUnderSavepoint(Task<?> task, boolean shared) throws SQLException {
    if (!shared) {
      if (!task.run(connection)) {
        rollback();
      }
      return;
    }
    Savepoint savepoint = connection.setSavepoint();
    if (task.run(connection)) {
      connection.releaseSavepoint(savepoint);
    } else {
      connection.rollback(savepoint);
      connection.releaseSavepoint(savepoint);
    }
  }

  private void rollback() {
    try {
      connection.rollback();
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "SQLite rolled back the transaction by itself", e);
    }
  }

  private void restoreAutoCommit() {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "SQLite ended the transaction by itself", e);
    }
  }

  private static final class Task<T extends @Nullable Object> {
    final CompletableFuture<T> result = new CompletableFuture<>();
    private final Database.RawWork<T> work;
    final boolean hot;
    private @Nullable T value;
    private @Nullable Throwable fault;

    Task(Database.RawWork<T> work, boolean hot) {
      this.work = work;
      this.hot = hot;
    }

    void runOrThrow(Connection connection) throws Exception {
      fault = null;
      value = work.run(connection);
    }

    boolean run(Connection connection) {
      fault = null;
      try {
        value = work.run(connection);
        return true;
      } catch (Throwable t) {
        fault = t;
        return false;
      }
    }

    @SuppressWarnings("NullAway") // T itself says whether null is a value
    void complete() {
      if (fault != null) {
        result.completeExceptionally(fault);
      } else {
        result.complete(value);
      }
    }

    void fail(Throwable groupFault) {
      result.completeExceptionally(fault != null ? fault : groupFault);
    }
  }
}
