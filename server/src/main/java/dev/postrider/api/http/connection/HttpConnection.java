package dev.postrider.api.http.connection;

import dev.postrider.time.TimeSource;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.http.RequestException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection with its requests, one after the other, on the thread that the web server gives it.
 */
final class HttpConnection implements ServerConnection {
  private static final System.Logger LOG = System.getLogger(HttpConnection.class.getName());

  /** The part of a request that the server waits for on a connection. */
  private enum Stage {
    HEAD,
    BODY,
    REST
  }

  private final HelidonSocket socket;
  private final RequestInput input;
  private final HttpConnections connections;
  private final MalformedRequests malformed;
  private final TimeSource time;
  private volatile boolean reading = true;
  private volatile Stage stage = Stage.HEAD;
  private volatile long since;
  private volatile boolean stopping;
  private volatile @Nullable Thread thread;
  private boolean refused;

  /** Used only by the thread of the connection. */
  private @Nullable Object attachment;

  HttpConnection(
      ConnectionContext context,
      HttpConnections connections,
      MalformedRequests malformed,
      TimeSource time) {
    this.socket = context.serverSocket();
    this.input = new RequestInput(context, this::waitForBody);
    this.connections = connections;
    this.malformed = malformed;
    this.time = time;
    this.since = time.nanos();
  }

  @Override
  public void handle(Limit limit) {
    thread = Thread.currentThread();
    connections.add(this);
    try {
      while (!stopping && serveOne()) {
        read(Stage.HEAD);
      }
    } catch (RequestException e) {
      logMalformed(e);
      reading = false;
      connections.handler().refuse(e, HttpResponse.last(socket));
    } finally {
      connections.remove(this);
    }
  }

  /** False if there is no other request on this connection. */
  private boolean serveOne() {
    RequestHead head = input.head();
    reading = false;
    if (head == null) {
      return false;
    }
    BodyInput body = new BodyInput(input, this);
    HttpRequest request = new HttpRequest(head, body, this);
    if (request.expectsContinue()) {
      body.mustContinue();
    }
    HttpResponse response = new HttpResponse(socket, request, body);
    connections.handler().handle(request, response);
    return body.drop() && !response.closes() && response.isSent();
  }

  private void waitForBody() {
    if (!reading) {
      read(Stage.BODY);
    }
  }

  /** The rest of a request is dropped: the response was sent. */
  void dropping() {
    read(Stage.REST);
  }

  /** The request is being processed: the client is not responsible for that time. */
  void working() {
    reading = false;
  }

  private void read(Stage awaited) {
    stage = awaited;
    since = time.nanos();
    reading = true;
  }

  void logMalformed(RequestException refused) {
    malformed.log(peer(), refused);
  }

  @Nullable Object attachment() {
    return attachment;
  }

  void attach(Object left) {
    attachment = left;
  }

  boolean isSecure() {
    return socket.isSecure();
  }

  String peer() {
    return socket.remotePeer().host();
  }

  void write(BufferData bytes) throws IOException {
    try {
      socket.write(bytes);
    } catch (UncheckedIOException e) {
      throw new IOException("cannot write to the socket", e);
    }
  }

  /** Whether the client has let the server wait for longer than this. */
  boolean isLate(long now, long timeoutNanos) {
    return reading && now - since > timeoutNanos;
  }

  /**
   * Called only by the watchdog. Its next check closes a connection that blocks on the response.
   */
  void end(byte[] tooLate) {
    if (refused || !unanswered()) {
      socket.close();
      return;
    }
    refused = true;
    // Not on the thread of the watchdog, because a client that does not read could block it.
    Thread.ofVirtual().start(() -> refuse(tooLate));
  }

  private boolean unanswered() {
    return switch (stage) {
      case HEAD -> input.headBegun();
      case BODY -> true;
      case REST -> false;
    };
  }

  private void refuse(byte[] tooLate) {
    try {
      socket.write(BufferData.create(tooLate));
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "closed the connection of a slow client: {0}", e.getMessage());
    } finally {
      socket.close();
    }
  }

  @Override
  public Duration idleTime() {
    return reading ? Duration.ofNanos(time.nanos() - since) : Duration.ZERO;
  }

  /** Lets the request in progress end, unless it has to be interrupted. */
  @Override
  public void close(boolean interrupt) {
    stopping = true;
    Thread serving = thread;
    boolean idle = reading && stage == Stage.HEAD && !input.headBegun();
    if (serving != null && (interrupt || idle)) {
      serving.interrupt();
    }
  }
}
