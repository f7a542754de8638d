package dev.postrider.storage;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/**
 * Interrupts a SQLite reader that takes too long: an open read keeps the log from being
 * checkpointed.
 */
final class Watchdog {
  private final String name;
  private @Nullable ScheduledExecutorService scheduler;

  Watchdog(String name) {
    this.name = name;
  }

  void start() {
    scheduler =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name(name).daemon().factory());
  }

  Guard guard(SQLiteConnection connection, long limitMs) {
    ScheduledExecutorService current = requireNonNull(scheduler, "not started");
    return new Guard(current.schedule(() -> interrupt(connection), limitMs, TimeUnit.MILLISECONDS));
  }

  private static void interrupt(SQLiteConnection connection) {
    try {
      connection.getDatabase().interrupt();
    } catch (SQLException e) {
      System.getLogger(Watchdog.class.getName()).log(System.Logger.Level.DEBUG, "interrupt", e);
    }
  }

  void stop() {
    if (scheduler != null) {
      scheduler.shutdownNow();
    }
  }

  /** Disarms on close. */
  record Guard(ScheduledFuture<?> alarm) implements AutoCloseable {
    @Override
    public void close() {
      alarm.cancel(false);
    }
  }
}
