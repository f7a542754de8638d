package dev.postrider.api.http;

import dev.postrider.api.http.connection.HttpRequest;
import io.helidon.http.HeaderNames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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

  private final long maxBytes;
  private final long room;
  private final AtomicLong used = new AtomicLong();
  private final Map<HttpRequest, Long> held = new ConcurrentHashMap<>();

  public Bodies(long maxBytes) {
    this.maxBytes = maxBytes;
    this.room = LARGEST_AT_ONCE * maxBytes;
  }

  byte[] read(HttpRequest request) throws IOException {
    String coding = request.header(HeaderNames.CONTENT_ENCODING);
    if (coding != null && !coding.equalsIgnoreCase("identity")) {
      throw new ApiError(415, "unsupported_encoding", "send the body without Content-Encoding");
    }
    return read(request, maxBytes);
  }

  byte[] read(HttpRequest request, long maxBytes) throws IOException {
    OptionalLong announced = request.contentLength();
    if (announced.isPresent() && announced.getAsLong() > maxBytes) {
      throw ApiError.tooLarge(maxBytes);
    }
    if (!request.hasBody()) {
      return new byte[0];
    }
    InputStream in = request.body();
    return announced.isPresent()
        ? exactly(request, in, (int) announced.getAsLong())
        : upToLimit(request, in, maxBytes);
  }

  /**
   * Memory is reserved for received bytes, not for the announced length, which costs an attacker
   * nothing.
   */
  private byte[] exactly(HttpRequest request, InputStream in, int length) throws IOException {
    byte[] body = new byte[Math.min(length, CHUNK)];
    int at = 0;
    while (at < length) {
      if (at == body.length) {
        int larger = (int) Math.min(length, body.length * 2L);
        take(request, larger - (body.length == CHUNK ? 0 : body.length));
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

  private void take(HttpRequest request, int bytes) {
    if (used.addAndGet(bytes) > room) {
      used.addAndGet(-bytes);
      throw new ApiError(
          503,
          ApiError.TOO_MANY_BODIES,
          "too many large request bodies at the same time; try again",
          RETRY_AFTER);
    }
    held.merge(request, (long) bytes, Long::sum);
  }

  /** The request has finished, and the memory of its body is released. */
  void release(HttpRequest request) {
    if (!held.isEmpty()) {
      Long bytes = held.remove(request);
      used.addAndGet(bytes == null ? 0 : -bytes);
    }
  }

  private byte[] upToLimit(HttpRequest request, InputStream in, long maxBytes) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream(CHUNK);
    byte[] chunk = new byte[CHUNK];
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      if (body.size() + (long) read > maxBytes) {
        throw ApiError.tooLarge(maxBytes);
      }
      if (body.size() + read > CHUNK) {
        take(request, body.size() > CHUNK ? read : body.size() + read);
      }
      body.write(chunk, 0, read);
    }
    return body.toByteArray();
  }
}
