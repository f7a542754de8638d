package dev.postrider.api;

import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/** Reads request bodies, never more than allowed. */
final class Bodies {
  private static final int CHUNK = 16 * 1024;

  private final long maxBytes;
  private final SlowCallers slow;

  Bodies(long maxBytes, SlowCallers slow) {
    this.maxBytes = maxBytes;
    this.slow = slow;
  }

  byte[] read(ServerRequest request) throws IOException {
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
        announced.isPresent() ? exactly(in, (int) announced.getAsLong()) : upToLimit(in, maxBytes);
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

  private static byte[] upToLimit(InputStream in, long maxBytes) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream(CHUNK);
    byte[] chunk = new byte[CHUNK];
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      if (body.size() + (long) read > maxBytes) {
        throw ApiError.tooLarge(maxBytes);
      }
      body.write(chunk, 0, read);
    }
    return body.toByteArray();
  }
}
