package dev.postrider.api.http.connection;

import static dev.postrider.api.http.connection.MalformedRequests.refuseUnless;

import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.http.Status;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ServerConnectionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from the socket of a connection: complete heads, which {@link RequestHead} checks,
 * and the bytes of each body to its end, where the next head begins.
 */
final class RequestInput {
  private static final byte[] NONE = {};
  private static final Status HEADERS_TOO_LARGE =
      Status.create(431, "Request Header Fields Too Large");
  private static final int MAX_SIZE_DIGITS = 8;

  /** How much of a head that is too large is read, so that its client can receive the response. */
  private static final int DROPPED_BYTES = 1 << 20;

  /** The part of an HTTP request that the next byte belongs to. */
  private enum Part {
    HEAD,
    BODY,
    SIZE,
    SIZE_END,
    CHUNK,
    CHUNK_CR,
    CHUNK_LF,
    LAST_CR,
    LAST_LF
  }

  private final HelidonSocket socket;

  /** Called before each read from the socket within a body. */
  private final Runnable waiting;

  /** What was read and, from {@link #from} on, not yet passed on. */
  private byte[] held;

  private int from;
  private Part part = Part.HEAD;

  /** How much of a body or chunk is still to come. */
  private long left;

  private int sizeDigits;
  private volatile boolean headBegun;

  RequestInput(ConnectionContext context, Runnable waiting) {
    this.socket = context.serverSocket();
    this.waiting = waiting;
    DataReader seen = context.dataReader();
    int available = seen.available();
    this.held = available == 0 ? NONE : seen.readBytes(available);
  }

  /** Whether a part of a head has come and the rest has not. */
  boolean headBegun() {
    return headBegun;
  }

  /** Whether bytes were received that nothing has used. */
  boolean hasMore() {
    return from < held.length;
  }

  /** False at the end of the connection. */
  private boolean readMore() {
    byte[] more = socket.get();
    if (more == null) {
      return false;
    }
    if (from == held.length) {
      held = more;
    } else {
      int kept = held.length - from;
      byte[] both = Arrays.copyOfRange(held, from, held.length + more.length);
      System.arraycopy(more, 0, both, kept, more.length);
      held = both;
    }
    from = 0;
    return true;
  }

  private void release(int to) {
    from = to;
    if (from == held.length) {
      held = NONE;
      from = 0;
    }
  }

  // ---- heads ----

  /** The head of the next request; null if the connection ends before it. */
  @Nullable RequestHead head() {
    int end;
    try {
      end = endOfHead();
    } catch (UncheckedIOException e) {
      throw new ServerConnectionException("cannot read from the socket", e);
    }
    if (end < 0) {
      return null;
    }
    RequestHead head = new RequestHead(held, from, end);
    left = Math.max(head.contentLength(), 0);
    if (head.chunked()) {
      part = Part.SIZE;
    } else if (left > 0) {
      part = Part.BODY;
    }
    release(end);
    return head;
  }

  /** Reads until the head is complete: where its empty line ends, or -1 if it never does. */
  private int endOfHead() {
    int line = 0;
    int fields = -1;
    int at = 0;
    while (true) {
      for (; from + at < held.length; at++) {
        if (held[from + at] != '\n') {
          continue;
        }
        refuseUnless(
            at > 0 && held[from + at - 1] == '\r', "a header line does not end with CR LF");
        if (at == line + 1 && fields >= 0) {
          checkSize(fields, at);
          if (headBegun) {
            headBegun = false;
          }
          return from + at + 1;
        }
        if (at == 1) {
          // An empty line before a request is left out (RFC 9112, 2.2).
          from += 2;
          at = -1;
        } else if (fields < 0) {
          fields = at + 1;
        }
        line = at + 1;
      }
      checkSize(fields, at);
      refuseUnless(at == 0 || RequestHead.begins(held[from]), "the method is not valid");
      headBegun = at > 0;
      if (!readMore()) {
        return -1;
      }
    }
  }

  private void checkSize(int fields, int length) {
    int line = fields < 0 ? length : fields;
    if (line > RequestLimits.MAX_REQUEST_LINE_BYTES) {
      dropHead();
      throw MalformedRequests.refusal(
          Status.REQUEST_URI_TOO_LONG_414,
          "the request line is longer than " + RequestLimits.MAX_REQUEST_LINE_BYTES + " bytes");
    }
    if (length - line > RequestLimits.MAX_HEADERS_BYTES) {
      dropHead();
      throw MalformedRequests.refusal(
          HEADERS_TOO_LARGE,
          "the headers are larger than " + RequestLimits.MAX_HEADERS_BYTES + " bytes");
    }
  }

  private void dropHead() {
    for (int dropped = 0; dropped < DROPPED_BYTES; dropped += held.length) {
      String text = new String(held, from, held.length - from, StandardCharsets.ISO_8859_1);
      if (text.contains("\r\n\r\n")) {
        return;
      }
      from = Math.max(from, held.length - 3);
      if (!readMore()) {
        return;
      }
    }
  }

  // ---- bodies ----

  /** Whether the body of the last request was read to its end. */
  boolean bodyEnded() {
    return part == Part.HEAD;
  }

  /**
   * Reads a part of the body of the last request.
   *
   * @return how much it is; -1 at the end of the body
   */
  int body(byte[] into, int at, int count) throws IOException {
    while (part != Part.HEAD) {
      if (from == held.length) {
        waiting.run();
        if (!readMore()) {
          throw new EOFException("the connection was closed before the body was complete");
        }
      }
      if (part == Part.BODY || part == Part.CHUNK) {
        int step = (int) Math.min(left, Math.min(count, held.length - from));
        System.arraycopy(held, from, into, at, step);
        left -= step;
        if (left == 0) {
          part = part == Part.BODY ? Part.HEAD : Part.CHUNK_CR;
        }
        release(from + step);
        return step;
      }
      frame(held[from]);
      release(from + 1);
    }
    return -1;
  }

  /**
   * Chunk extensions and trailers are rejected: webhooks do not use them, and parsers differ in
   * them.
   */
  private void frame(byte b) {
    switch (part) {
      case SIZE -> size(b);
      case SIZE_END -> {
        refuseUnless(b == '\n', "a chunk size is not followed by CR LF");
        part = left == 0 ? Part.LAST_CR : Part.CHUNK;
      }
      case CHUNK_CR -> {
        refuseUnless(b == '\r', "a chunk is longer than its size");
        part = Part.CHUNK_LF;
      }
      case CHUNK_LF -> {
        refuseUnless(b == '\n', "a chunk is longer than its size");
        part = Part.SIZE;
      }
      case LAST_CR -> {
        refuseUnless(b == '\r', "there are bytes after the last chunk");
        part = Part.LAST_LF;
      }
      case LAST_LF -> {
        refuseUnless(b == '\n', "there are bytes after the last chunk");
        part = Part.HEAD;
      }
      case HEAD, BODY, CHUNK ->
          throw new IllegalStateException("unexpected state of the body framing: " + part);
    }
  }

  private void size(byte b) {
    int digit = Character.digit(b, 16);
    if (digit >= 0 && sizeDigits < MAX_SIZE_DIGITS) {
      left = left * 16 + digit;
      sizeDigits++;
    } else {
      refuseUnless(b == '\r', "a chunk size is not a hexadecimal number");
      refuseUnless(sizeDigits > 0, "a chunk does not have a size");
      sizeDigits = 0;
      part = Part.SIZE_END;
    }
  }
}
