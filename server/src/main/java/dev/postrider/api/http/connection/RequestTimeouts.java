package dev.postrider.api.http.connection;

import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Closes connections whose client takes too long to send a request, whether it is silent or sends a
 * byte now and then; a client that has started a request gets a 408. The web server itself only
 * limits single reads, which such clients satisfy. It calls this for every connection, and this
 * delegates to its HTTP/1.1 implementation, with {@link RequestInput} in front of it, and keeps the
 * socket to close it.
 */
public final class RequestTimeouts implements ServerConnectionSelector, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RequestTimeouts.class.getName());
  private static final int CHECKS_PER_TIMEOUT = 4;

  /** The connection that the current thread serves. */
  private static final ScopedValue<Watched> CURRENT = ScopedValue.newInstance();

  /** The part of a request that the server waits for on a connection. */
  private enum Stage {
    HEAD,
    BODY,
    REST
  }

  private final ServerConnectionSelector http1;
  private final long timeoutNanos;
  private final TimeSource time;
  private final MalformedRequests malformed;
  private final byte[] tooLate;
  private final Set<Watched> connections = ConcurrentHashMap.newKeySet();
  private final PeriodicLoop watch = new PeriodicLoop("request-timeouts", this::closeLate);

  public RequestTimeouts(ServerConnectionSelector http1, Duration timeout, TimeSource time) {
    this.http1 = http1;
    this.timeoutNanos = timeout.toNanos();
    this.time = time;
    this.malformed = new MalformedRequests(time);
    this.tooLate = tooLate(timeout).getBytes(StandardCharsets.US_ASCII);
  }

  private static String tooLate(Duration timeout) {
    String body =
        "{\"code\":\"request_timeout\",\"detail\":\"the request did not arrive within "
            + timeout.toSeconds()
            + " s (POSTRIDER_SERVER_TIMEOUT); send the complete request faster\"}";
    return "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  public void start() {
    watch.start();
  }

  private long closeLate() {
    long now = time.nanos();
    for (Watched connection : connections) {
      if (connection.reading && now - connection.since > timeoutNanos) {
        connection.end();
      }
    }
    return Math.max(1, Duration.ofNanos(timeoutNanos).toMillis() / CHECKS_PER_TIMEOUT);
  }

  /** The request on this thread is being processed: the client is not responsible for that time. */
  public void working() {
    if (CURRENT.isBound()) {
      CURRENT.get().reading = false;
    }
  }

  /** Whether the request on this thread is HTTP/1.0. */
  public boolean http10() {
    return CURRENT.isBound() && CURRENT.get().input.http10();
  }

  /** This thread waits for the next request of its client. */
  public void reading() {
    read(Stage.HEAD);
  }

  /** This thread waits for the body of a request that it has the head of. */
  public void readingBody() {
    read(Stage.BODY);
  }

  /** This thread drops the rest of a request: the response is being sent. */
  public void dropping() {
    read(Stage.REST);
  }

  private void read(Stage stage) {
    if (CURRENT.isBound()) {
      Watched connection = CURRENT.get();
      connection.stage = stage;
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
    RequestInput input = new RequestInput(context, malformed);
    return new Watched(
        http1.connection(new CheckedConnection(context, DataReader.create(input))),
        context.serverSocket(),
        input);
  }

  @Override
  public void close() {
    watch.requestStop();
  }

  private final class Watched implements ServerConnection {
    private final ServerConnection connection;
    private final HelidonSocket socket;
    private final RequestInput input;
    private volatile boolean reading = true;
    private volatile Stage stage = Stage.HEAD;
    private volatile long since = time.nanos();
    private boolean refused;

    Watched(ServerConnection connection, HelidonSocket socket, RequestInput input) {
      this.connection = connection;
      this.socket = socket;
      this.input = input;
    }

    /**
     * Called only by the watchdog. Its next check closes a connection that blocks on the response.
     */
    void end() {
      if (refused || !unanswered()) {
        socket.close();
        return;
      }
      refused = true;
      // Not on the thread of the watchdog, because a client that does not read could block it.
      Thread.ofVirtual().start(this::refuse);
    }

    private boolean unanswered() {
      return switch (stage) {
        case HEAD -> input.headBegun();
        case BODY -> true;
        case REST -> false;
      };
    }

    private void refuse() {
      try {
        socket.write(BufferData.create(tooLate));
      } catch (RuntimeException e) {
        LOG.log(Level.DEBUG, "closed the connection of a slow client: {0}", e.getMessage());
      } finally {
        socket.close();
      }
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
