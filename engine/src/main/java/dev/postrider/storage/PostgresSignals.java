package dev.postrider.storage;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * LISTEN and NOTIFY, each on a connection of its own. A notification is sent after the commit that
 * it is about, without a payload, at most every 50 ms (engine rule 30). After a lost connection it
 * listens anew and then signals once, because something may have been missed.
 */
public final class PostgresSignals implements Signals {
  static final long GATHER_MS = 50;
  static final int LISTEN_TIMEOUT_MS = 5_000;
  private static final System.Logger LOG = System.getLogger(PostgresSignals.class.getName());

  private final PostgresDatabase database;
  private final String channel;
  private final Thread listener =
      Thread.ofPlatform().name("listen").daemon().unstarted(this::listen);
  private final Thread notifier =
      Thread.ofPlatform().name("notify").daemon().unstarted(this::notifyOthers);
  private volatile @Nullable Runnable onSignal;
  private volatile boolean wanted;
  private volatile boolean stopping;
  private final CountDownLatch stopped = new CountDownLatch(1);

  public PostgresSignals(PostgresDatabase database, String schema) {
    this.database = database;
    this.channel = schema + "_wake";
  }

  @Override
  public void start(Runnable listener) {
    onSignal = listener;
    this.listener.start();
    notifier.start();
  }

  @Override
  public void tellOthers() {
    if (!wanted) {
      wanted = true;
      LockSupport.unpark(notifier);
    }
  }

  @Override
  public void close() {
    stopping = true;
    stopped.countDown();
    listener.interrupt();
    LockSupport.unpark(notifier);
  }

  private void notifyOthers() {
    Connection connection = null;
    while (!stopping) {
      if (!wanted) {
        LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(5));
        continue;
      }
      wanted = false;
      try {
        if (connection == null) {
          connection = database.connect("postrider-notify", 5_000);
        }
        execute(connection, "NOTIFY " + channel);
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "notify: {0}", e.getMessage());
        close(connection);
        connection = null;
      }
      gather();
    }
    close(connection);
  }

  /** Not a park: whoever has something to tell meanwhile would end it. */
  private void gather() {
    try {
      if (stopped.await(GATHER_MS, TimeUnit.MILLISECONDS)) {
        stopping = true;
      }
    } catch (InterruptedException e) {
      stopping = true;
    }
  }

  private void listen() {
    while (!stopping) {
      Connection connection = null;
      try {
        connection = database.connect("postrider-listen", 0);
        execute(connection, "LISTEN " + channel);
        signal();
        PGConnection notifications = connection.unwrap(PGConnection.class);
        while (!stopping) {
          if (notifications.getNotifications(LISTEN_TIMEOUT_MS).length > 0) {
            signal();
          } else {
            execute(connection, "SELECT 1"); // a silent cut must be noticed
          }
        }
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "listen: {0}", e.getMessage());
        LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
      } finally {
        close(connection);
      }
    }
  }

  private void signal() {
    Runnable action = onSignal;
    if (action != null) {
      action.run();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void close(@Nullable Connection connection) {
    try {
      if (connection != null) {
        database.release(connection);
      }
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "close: {0}", e.getMessage());
    }
  }
}
