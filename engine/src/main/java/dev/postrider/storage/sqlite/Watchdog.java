package dev.postrider.storage.sqlite;

import dev.postrider.thread.PeriodicLoop;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.sqlite.SQLiteConnection;

/**
 * Interrupts a SQLite reader that takes too long: an open read prevents checkpoints. Time is
 * counted in ticks of this object's thread, so that guarding a read needs neither a clock nor a
 * timer.
 */
final class Watchdog {
  static final long TICK_MS = 100;

  private final Set<Guard> guards = ConcurrentHashMap.newKeySet();
  private final AtomicLong tick = new AtomicLong();
  private final PeriodicLoop ticking;

  Watchdog(String name) {
    this.ticking = new PeriodicLoop(name, this::look);
  }

  void start() {
    ticking.start();
  }

  private long look() {
    tick.incrementAndGet();
    guards.forEach(Guard::look);
    return TICK_MS;
  }

  Guard guard(SQLiteConnection connection, long limitMs) {
    Guard guard = new Guard(connection, limitMs / TICK_MS);
    guards.add(guard);
    return guard;
  }

  void stop() {
    ticking.requestStop();
  }

  /** Watches one reader until it is closed. */
  final class Guard implements AutoCloseable {
    private final SQLiteConnection connection;
    private final long limitTicks;
    private volatile long since = tick.get();
    private boolean closed;

    private Guard(SQLiteConnection connection, long limitTicks) {
      this.connection = connection;
      this.limitTicks = limitTicks;
    }

    /** The next statement begins, in a read transaction of its own. */
    void restart() {
      since = tick.get();
    }

    /**
     * Under the same lock as {@link #close}: a late interrupt would hit whatever the connection
     * reads next.
     */
    private synchronized void look() {
      if (!closed && tick.get() - since > limitTicks) {
        try {
          connection.getDatabase().interrupt();
        } catch (SQLException e) {
          System.getLogger(Watchdog.class.getName()).log(System.Logger.Level.DEBUG, "interrupt", e);
        }
      }
    }

    @Override
    public synchronized void close() {
      closed = true;
      guards.remove(this);
    }
  }
}
