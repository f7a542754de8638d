package dev.postrider.api;

import dev.postrider.time.TimeSource;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends connections whose caller takes too long to send a request, be it silence or a byte now and
 * then. The web server itself only times single reads, which such callers satisfy. It asks this for
 * every connection and this passes the question on to its HTTP/1.1 part, keeping the socket to
 * close it.
 */
final class SlowCallers implements ServerConnectionSelector, AutoCloseable {
  private static final int LOOKS_PER_TIMEOUT = 4;

  /** The connection that the current thread serves. */
  private static final ScopedValue<Watched> CURRENT = ScopedValue.newInstance();

  private final ServerConnectionSelector http1;
  private final long timeoutNanos;
  private final TimeSource time;
  private final Set<Watched> connections = ConcurrentHashMap.newKeySet();
  private @Nullable ScheduledExecutorService watch;

  SlowCallers(ServerConnectionSelector http1, Duration timeout, TimeSource time) {
    this.http1 = http1;
    this.timeoutNanos = timeout.toNanos();
    this.time = time;
  }

  void start() {
    ScheduledExecutorService started =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("slow-callers").factory());
    long every = timeoutNanos / LOOKS_PER_TIMEOUT;
    var _ = started.scheduleWithFixedDelay(this::closeLate, every, every, TimeUnit.NANOSECONDS);
    watch = started;
  }

  private void closeLate() {
    long now = time.nanos();
    for (Watched connection : connections) {
      if (connection.reading && now - connection.since > timeoutNanos) {
        connection.socket.close();
      }
    }
  }

  /**
   * The request on this thread is being worked on: its caller is not to blame for the time that
   * takes.
   */
  void working() {
    if (CURRENT.isBound()) {
      CURRENT.get().reading = false;
    }
  }

  /** This thread waits for its caller again. */
  void reading() {
    if (CURRENT.isBound()) {
      Watched connection = CURRENT.get();
      connection.since = time.nanos();
      connection.reading = true;
    }
  }

  @Override
  public int bytesToIdentifyConnection() {
    return http1.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return http1.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return http1.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    return new Watched(http1.connection(context), context.serverSocket());
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.shutdownNow();
    }
  }

  private final class Watched implements ServerConnection {
    private final ServerConnection connection;
    private final HelidonSocket socket;
    private volatile boolean reading = true;
    private volatile long since = time.nanos();

    Watched(ServerConnection connection, HelidonSocket socket) {
      this.connection = connection;
      this.socket = socket;
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
      connections.add(this);
      try {
        ScopedValue.where(CURRENT, this)
            .call(
                () -> {
                  connection.handle(limit);
                  return this;
                });
      } finally {
        connections.remove(this);
      }
    }

    @Override
    public Duration idleTime() {
      return connection.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      connection.close(interrupt);
    }
  }
}
