package dev.postrider.api.http.connection;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.http.DateTime;
import io.helidon.http.HeaderName;
import io.helidon.http.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The response to a request. It is written to the socket at once, with its body. */
public final class HttpResponse {
  private static final byte[] VERSION = ascii("HTTP/1.1 ");
  private static final byte[] DATE = ascii("Date: ");
  private static final byte[] LENGTH = ascii("Content-Length: ");
  private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
  private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n\r\n");
  private static final byte[] CLOSE = ascii("Connection: close\r\n\r\n");
  private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");
  private static final byte[] NO_BODY = {};
  private static final int USUAL_HEADERS = 6;

  /** The head of a response without its headers. */
  private static final int FRAME_BYTES = 192;

  /** The head of a response and a short body share one write; a longer body is not copied. */
  private static final int MAX_COPIED_BYTES = 8 * 1024;

  private final HelidonSocket socket;
  private final boolean headOnly;
  private final @Nullable BodyInput received;
  private boolean closes;
  private int status = 200;
  private String[] headers = new String[USUAL_HEADERS * 2];
  private int used;
  private boolean sent;

  HttpResponse(HelidonSocket socket, HttpRequest request, BodyInput received) {
    this.socket = socket;
    this.headOnly = request.isHead();
    this.received = received;
    this.closes = request.isLast();
  }

  private HttpResponse(HelidonSocket socket) {
    this.socket = socket;
    this.headOnly = false;
    this.received = null;
    this.closes = true;
  }

  /** A response to what is not a request. */
  static HttpResponse last(HelidonSocket socket) {
    return new HttpResponse(socket);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  public HttpResponse status(int code) {
    status = code;
    return this;
  }

  /**
   * Sets a header, in place of one that was set before.
   *
   * @throws IllegalArgumentException if the value would end the header
   */
  public HttpResponse header(HeaderName name, String value) {
    if (!RequestHead.isToken(name.defaultCase()) || !isLine(value)) {
      throw new IllegalArgumentException(name.defaultCase() + " is not a valid response header");
    }
    int at = 0;
    while (at < used && !headers[at].equalsIgnoreCase(name.defaultCase())) {
      at += 2;
    }
    if (at == headers.length) {
      headers = Arrays.copyOf(headers, at * 2);
    }
    headers[at] = name.defaultCase();
    headers[at + 1] = value;
    used = Math.max(used, at + 2);
    return this;
  }

  private static boolean isLine(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        return false;
      }
    }
    return true;
  }

  /** The connection is closed after this response, which says so. */
  public void close() {
    closes = true;
  }

  boolean closes() {
    return closes;
  }

  /** Whether the response, or a part of it, was sent. */
  public boolean isSent() {
    return sent;
  }

  public void send() {
    send(NO_BODY);
  }

  /** Sends the response with this body; to a HEAD request only with its length. */
  public void send(byte[] body) {
    Bytes out = begin(body.length);
    out.ascii(LENGTH);
    out.text(Integer.toString(body.length));
    out.end(closes);
    if (headOnly || body.length == 0) {
      write(out.array, out.length);
    } else if (body.length <= MAX_COPIED_BYTES) {
      out.ascii(body);
      write(out.array, out.length);
    } else {
      write(out.array, out.length);
      write(body, body.length);
    }
  }

  /** Sends the head, and a body in chunks: each flush sends what was written before it. */
  public OutputStream stream() {
    Bytes out = begin(0);
    out.ascii(CHUNKED);
    out.ascii(closes ? CLOSE : KEEP_ALIVE);
    write(out.array, out.length);
    return new Chunks();
  }

  private Bytes begin(int body) {
    if (sent) {
      throw new IllegalStateException("the response has already been sent");
    }
    sent = true;
    // The client may send the body or not: where its next request begins would be unclear.
    closes |= received != null && received.waitsForContinue();
    int size = FRAME_BYTES + (body <= MAX_COPIED_BYTES ? body : 0);
    for (int i = 0; i < used; i++) {
      size += headers[i].length() + 2;
    }
    Bytes out = new Bytes(size);
    out.ascii(VERSION);
    out.text(Integer.toString(status));
    out.one(' ');
    out.text(Status.create(status).reasonPhrase());
    out.line();
    out.ascii(DATE);
    out.ascii(DateTime.http1Bytes());
    for (int i = 0; i < used; i += 2) {
      out.text(headers[i]);
      out.one(':');
      out.one(' ');
      out.text(headers[i + 1]);
      out.line();
    }
    return out;
  }

  private void write(byte[] bytes, int length) {
    try {
      socket.write(BufferData.create(bytes, 0, length));
    } catch (UncheckedIOException e) {
      closes = true;
      throw e;
    }
  }

  /** The bytes of a head, in an array that is large enough. */
  private static final class Bytes {
    final byte[] array;
    int length;

    Bytes(int size) {
      array = new byte[size];
    }

    void ascii(byte[] bytes) {
      System.arraycopy(bytes, 0, array, length, bytes.length);
      length += bytes.length;
    }

    void text(String text) {
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        array[length++] = (byte) (c < 0x80 ? c : '?');
      }
    }

    void one(char c) {
      array[length++] = (byte) c;
    }

    void line() {
      one('\r');
      one('\n');
    }

    void end(boolean closes) {
      line();
      ascii(closes ? CLOSE : KEEP_ALIVE);
    }
  }

  private final class Chunks extends OutputStream {
    private byte[] chunk = new byte[MAX_COPIED_BYTES];
    private int length;
    private boolean closed;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      if (length + count > chunk.length) {
        chunk = Arrays.copyOf(chunk, Math.max(chunk.length * 2, length + count));
      }
      System.arraycopy(bytes, from, chunk, length, count);
      length += count;
    }

    @Override
    public void flush() throws IOException {
      if (length > 0) {
        Bytes out = new Bytes(length + 16);
        out.text(Integer.toHexString(length));
        out.line();
        System.arraycopy(chunk, 0, out.array, out.length, length);
        out.length += length;
        out.line();
        length = 0;
        send(out.array, out.length);
      }
    }

    private void send(byte[] bytes, int count) throws IOException {
      try {
        HttpResponse.this.write(bytes, count);
      } catch (UncheckedIOException e) {
        throw new IOException("the client of a stream is gone", e);
      }
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        flush();
        send(LAST_CHUNK, LAST_CHUNK.length);
      }
    }
  }
}
