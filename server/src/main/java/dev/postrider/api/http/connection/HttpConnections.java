package dev.postrider.api.http.connection;

import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import io.helidon.common.buffers.BufferData;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Creates the connections of the web server, and closes those whose client takes too long to send a
 * request, whether it is silent or sends a byte now and then; a client that has started a request
 * gets a 408. A limit for single reads would not do, because such clients satisfy it.
 */
public final class HttpConnections implements ServerConnectionSelector, AutoCloseable {
  private static final int CHECKS_PER_TIMEOUT = 4;

  private final HttpHandler handler;
  private final long timeoutNanos;
  private final TimeSource time;
  private final MalformedRequests malformed;
  private final byte[] tooLate;
  private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
  private final PeriodicLoop watch = new PeriodicLoop("request-timeouts", this::closeLate);

  public HttpConnections(HttpHandler handler, Duration timeout, TimeSource time) {
    this.handler = handler;
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
    for (HttpConnection connection : open) {
      if (connection.isLate(now, timeoutNanos)) {
        connection.end(tooLate);
      }
    }
    return Math.max(1, Duration.ofNanos(timeoutNanos).toMillis() / CHECKS_PER_TIMEOUT);
  }

  HttpHandler handler() {
    return handler;
  }

  void add(HttpConnection connection) {
    open.add(connection);
  }

  void remove(HttpConnection connection) {
    open.remove(connection);
  }

  /** None: this is the only protocol, so that a connection is ours before its first byte. */
  @Override
  public int bytesToIdentifyConnection() {
    return 0;
  }

  @Override
  public Support supports(BufferData data) {
    return Support.SUPPORTED;
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return Set.of("http/1.1");
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    return new HttpConnection(context, this, malformed, time);
  }

  @Override
  public void close() {
    watch.requestStop();
  }
}
