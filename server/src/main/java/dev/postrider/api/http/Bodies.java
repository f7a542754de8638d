package dev.postrider.api.http;

import dev.postrider.api.http.connection.RequestTimeouts;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Reads request bodies, never more than allowed. */
public final class Bodies {
  private static final int CHUNK = 16 * 1024;

  /** How many of the largest bodies may be in memory at once; small ones are not counted. */
  private static final int LARGEST_AT_ONCE = 128;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /**
   * How much of a rejected body is read and dropped before the connection is closed: closing with
   * unread bytes resets the connection, and the client might never see the response.
   */
  private static final long DROPPED_BYTES = 1 << 20;

  private static final System.Logger LOG = System.getLogger(Bodies.class.getName());

  private final long maxBytes;
  private final RequestTimeouts slow;
  private final long room;
  private final AtomicLong used = new AtomicLong();
  private final Map<ServerRequest, Long> held = new ConcurrentHashMap<>();

  public Bodies(long maxBytes, RequestTimeouts slow) {
    this.maxBytes = maxBytes;
    this.slow = slow;
    this.room = LARGEST_AT_ONCE * maxBytes;
  }

  byte[] read(ServerRequest request) throws IOException {
    String coding = request.headers().value(HeaderNames.CONTENT_ENCODING).orElse("identity");
    if (!coding.equalsIgnoreCase("identity")) {
      throw new ApiError(415, "unsupported_encoding", "send the body without Content-Encoding");
    }
    return read(request, maxBytes);
  }

  byte[] read(ServerRequest request, long maxBytes) throws IOException {
    OptionalLong announced = request.headers().contentLength();
    if (announced.isPresent() && announced.getAsLong() > maxBytes) {
      throw ApiError.tooLarge(maxBytes);
    }
    if (!request.content().hasEntity()) {
      return new byte[0];
    }
    slow.readingBody();
    // Not closed: that would read a rejected body to its end.
    InputStream in = request.content().inputStream();
    byte[] body =
        announced.isPresent()
            ? exactly(request, in, (int) announced.getAsLong())
            : upToLimit(request, in, maxBytes);
    slow.working();
    return body;
  }

  /**
   * Memory is reserved for received bytes, not for the announced length, which costs an attacker
   * nothing.
   */
  private byte[] exactly(ServerRequest request, InputStream in, int length) throws IOException {
    byte[] body = new byte[Math.min(length, CHUNK)];
    int at = 0;
    while (at < length) {
      if (at == body.length) {
        int larger = (int) Math.min(length, body.length * 2L);
        take(request, in, larger - (body.length == CHUNK ? 0 : body.length));
        body = Arrays.copyOf(body, larger);
      }
      int read = in.read(body, at, body.length - at);
      if (read < 0) {
        throw new ApiError(400, "bad_request", "the body is shorter than its Content-Length");
      }
      at += read;
    }
    return body;
  }

  private void take(ServerRequest request, InputStream in, int bytes) {
    if (used.addAndGet(bytes) > room) {
      used.addAndGet(-bytes);
      request.context().register(Bodies.class, in); // its rest is dropped
      throw new ApiError(
          503,
          ApiError.TOO_MANY_BODIES,
          "too many large request bodies at the same time; try again",
          RETRY_AFTER);
    }
    held.merge(request, (long) bytes, Long::sum);
  }

  /** The request has finished, and the memory of its body is released. */
  void release(ServerRequest request) {
    if (!held.isEmpty()) {
      Long bytes = held.remove(request);
      used.addAndGet(bytes == null ? 0 : -bytes);
    }
  }

  private byte[] upToLimit(ServerRequest request, InputStream in, long maxBytes)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream(CHUNK);
    byte[] chunk = new byte[CHUNK];
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      if (body.size() + (long) read > maxBytes) {
        request.context().register(Bodies.class, in); // its rest is dropped
        throw ApiError.tooLarge(maxBytes);
      }
      if (body.size() + read > CHUNK) {
        take(request, in, body.size() > CHUNK ? read : body.size() + read);
      }
      body.write(chunk, 0, read);
    }
    return body.toByteArray();
  }

  /** Reads on without keeping anything, as far as that helps the client to see its response. */
  void drop(ServerRequest request) {
    slow.dropping();
    try {
      InputStream in =
          request
              .context()
              .get(Bodies.class, InputStream.class)
              .orElseGet(() -> request.content().inputStream());
      byte[] chunk = new byte[CHUNK];
      long dropped = 0;
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        dropped += read;
        if (dropped >= DROPPED_BYTES) {
          return;
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.DEBUG, "the rest of a rejected request could not be read", e);
    }
  }
}
