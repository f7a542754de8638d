package dev.postrider.storage.postgres;

import dev.postrider.storage.Signals;
import dev.postrider.thread.PeriodicLoop;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * LISTEN and NOTIFY, each on its own connection. A notification is sent after the commit that it is
 * about, without a payload, at most every 50 ms (engine rule 30). After a lost connection it
 * listens again and then signals once, because a notification may have been missed.
 */
public final class PostgresSignals implements Signals {
  static final long GATHER_MS = 50;
  static final int LISTEN_TIMEOUT_MS = 5_000;
  static final long RETRY_MS = 1_000;
  private static final System.Logger LOG = System.getLogger(PostgresSignals.class.getName());

  private final PostgresDatabase database;
  private final String channel;
  private final PeriodicLoop listener = new PeriodicLoop("listen", this::listen);
  private final PeriodicLoop notifier =
      new PeriodicLoop(
          "notify", this::sendNotification, PeriodicLoop.Options.DEFAULT.atEnd(this::disconnect));
  private volatile @Nullable Runnable onSignal;
  private volatile boolean wanted;

  /** The notifier's; null while there is none. */
  private @Nullable Connection connection;

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
  public void notifyOthers() {
    if (!wanted) {
      wanted = true;
      notifier.wake();
    }
  }

  @Override
  public void close() {
    stopped.countDown();
    listener.requestStop();
    notifier.requestStop();
  }

  private long sendNotification() throws InterruptedException {
    if (!wanted) {
      return PeriodicLoop.UNTIL_WOKEN;
    }
    wanted = false;
    try {
      if (connection == null) {
        connection = database.connect("postrider-notify", 5_000);
      }
      execute(connection, "NOTIFY " + channel);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "notify: {0}", e.getMessage());
      disconnect();
    }
    // Not a wait of the loop, which the next notification would end.
    stopped.await(GATHER_MS, TimeUnit.MILLISECONDS);
    return 0;
  }

  private long listen() {
    Connection listening = null;
    try {
      listening = database.connect("postrider-listen", 0);
      execute(listening, "LISTEN " + channel);
      signal();
      PGConnection notifications = listening.unwrap(PGConnection.class);
      while (!listener.isStopping()) {
        if (notifications.getNotifications(LISTEN_TIMEOUT_MS).length > 0) {
          signal();
        } else {
          execute(listening, "SELECT 1"); // a silent cut must be noticed
        }
      }
      return 0;
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "listen: {0}", e.getMessage());
      return RETRY_MS;
    } finally {
      release(listening);
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

  private void disconnect() {
    release(connection);
    connection = null;
  }

  private void release(@Nullable Connection closed) {
    try {
      if (closed != null) {
        database.release(closed);
      }
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "close: {0}", e.getMessage());
    }
  }
}
