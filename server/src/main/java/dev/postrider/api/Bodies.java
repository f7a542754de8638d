package dev.postrider.api;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.util.OptionalLong;

/** Reads request bodies, never more than allowed. */
final class Bodies {
  private static final int CHUNK = 16 * 1024;

  /**
   * How much of a refused body is read and dropped before the connection is closed: closing over
   * unread bytes resets the connection, and the caller might never see the answer.
   */
  private static final long DROPPED_BYTES = 1 << 20;

  private static final System.Logger LOG = System.getLogger(Bodies.class.getName());

  private final long maxBytes;
  private final SlowCallers slow;

  Bodies(long maxBytes, SlowCallers slow) {
    this.maxBytes = maxBytes;
    this.slow = slow;
  }

  byte[] read(ServerRequest request) throws IOException {
    String coding = request.headers().value(HeaderNames.CONTENT_ENCODING).orElse("identity");
    if (!coding.equalsIgnoreCase("identity")) {
      throw new ApiError(
          415, "unsupported_encoding", "send the body as it is, without Content-Encoding");
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
    slow.reading();
    // Not closed: that would read a refused body to its end.
    InputStream in = request.content().inputStream();
    byte[] body =
        announced.isPresent()
            ? exactly(in, (int) announced.getAsLong())
            : upToLimit(request, in, maxBytes);
    slow.working();
    return body;
  }

  private byte[] exactly(InputStream in, int length) throws IOException {
    byte[] body = new byte[length];
    int at = 0;
    while (at < length) {
      int read = in.read(body, at, length - at);
      if (read < 0) {
        throw new ApiError(400, "bad_request", "the body ended before the announced length");
      }
      at += read;
    }
    return body;
  }

  private static byte[] upToLimit(ServerRequest request, InputStream in, long maxBytes)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream(CHUNK);
    byte[] chunk = new byte[CHUNK];
    try {
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        if (body.size() + (long) read > maxBytes) {
          request.context().register(Bodies.class, in); // its rest is dropped
          throw ApiError.tooLarge(maxBytes);
        }
        body.write(chunk, 0, read);
      }
    } catch (NumberFormatException e) {
      throw new IOException("the length of a chunk is no number", e);
    }
    return body.toByteArray();
  }

  /** Reads on without keeping anything, as far as that helps the caller to see its answer. */
  void drop(ServerRequest request) {
    slow.reading();
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
      LOG.log(Level.DEBUG, "the rest of a refused request could not be read", e);
    }
  }
}
