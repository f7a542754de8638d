package dev.postrider.api.http.connection;

import io.helidon.common.buffers.BufferData;
import io.helidon.http.RequestException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/** The body of one request. It ends where its length or its chunks say. */
final class BodyInput extends InputStream {
  private static final System.Logger LOG = System.getLogger(BodyInput.class.getName());
  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int DROPPED_AT_ONCE = 16 * 1024;

  /**
   * How much of a refused body is read and dropped: closing with unread bytes resets the
   * connection, and a client that still sends would not see the response. Its time is that of a
   * request ({@link HttpConnections}).
   */
  private static final long DROPPED_BYTES = 64 << 20;

  private final RequestInput input;
  private final HttpConnection connection;
  private boolean mustContinue;

  BodyInput(RequestInput input, HttpConnection connection) {
    this.input = input;
    this.connection = connection;
  }

  /** The client waits for a permission to send the body. */
  void mustContinue() {
    mustContinue = true;
  }

  /** Whether the client still waits for the permission to send the body. */
  boolean waitsForContinue() {
    return mustContinue && !input.hasMore();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int count) throws IOException {
    if (input.bodyEnded()) {
      return -1;
    }
    if (mustContinue) {
      mustContinue = false;
      if (!input.hasMore()) {
        connection.write(BufferData.create(CONTINUE));
      }
    }
    try {
      int read = input.body(into, from, count);
      if (input.bodyEnded()) {
        connection.working();
      }
      return read;
    } catch (RequestException e) {
      connection.logMalformed(e);
      throw e;
    }
  }

  /** Reads the rest without keeping it; false if it is too long, or does not come. */
  boolean drop() {
    if (input.bodyEnded()) {
      return true;
    }
    if (waitsForContinue()) {
      return false;
    }
    connection.dropping();
    byte[] dropped = new byte[DROPPED_AT_ONCE];
    try {
      for (long left = DROPPED_BYTES; left > 0; ) {
        int read = input.body(dropped, 0, dropped.length);
        if (read < 0) {
          return true;
        }
        left -= read;
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.DEBUG, "the rest of a request could not be read", e);
    }
    return false;
  }
}
