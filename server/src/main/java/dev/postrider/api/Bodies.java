package dev.postrider.api;

import dev.postrider.time.TimeSource;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.OptionalLong;

/** Reads request bodies, never more than allowed of size and time. */
final class Bodies {
  private static final int CHUNK = 16 * 1024;

  private final long maxBytes;
  private final long timeoutNanos;
  private final TimeSource time;

  Bodies(long maxBytes, Duration timeout, TimeSource time) {
    this.maxBytes = maxBytes;
    this.timeoutNanos = timeout.toNanos();
    this.time = time;
  }

  byte[] read(ServerRequest request) throws IOException {
    OptionalLong announced = request.headers().contentLength();
    if (announced.isPresent() && announced.getAsLong() > maxBytes) {
      throw ApiError.tooLarge(maxBytes);
    }
    if (!request.content().hasEntity()) {
      return new byte[0];
    }
    try (InputStream in = request.content().inputStream()) {
      return announced.isPresent() ? exactly(in, (int) announced.getAsLong()) : upToLimit(in);
    }
  }

  private byte[] exactly(InputStream in, int length) throws IOException {
    byte[] body = new byte[length];
    long deadline = time.nanos() + timeoutNanos;
    int at = 0;
    while (at < length) {
      int read = in.read(body, at, length - at);
      if (read < 0) {
        throw new ApiError(400, "bad_request", "the body ended before the announced length");
      }
      at += read;
      refuseIfLate(deadline);
    }
    return body;
  }

  private byte[] upToLimit(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream(CHUNK);
    byte[] chunk = new byte[CHUNK];
    long deadline = time.nanos() + timeoutNanos;
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      if (body.size() + (long) read > maxBytes) {
        throw ApiError.tooLarge(maxBytes);
      }
      body.write(chunk, 0, read);
      refuseIfLate(deadline);
    }
    return body.toByteArray();
  }

  private void refuseIfLate(long deadline) {
    if (time.nanos() - deadline > 0) {
      throw new ApiError(408, "request_timeout", "the body took too long to arrive");
    }
  }
}
