package dev.postrider.api.http.connection;

import static dev.postrider.api.http.connection.MalformedRequests.refuseUnless;

import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ServerConnectionException;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one connection between its socket and Helidon's parser, which accepts some requests
 * that are not valid HTTP and none that are HTTP/1.0. Passes on only complete heads that {@link
 * RequestHead} has validated, and follows each body to its end. A chunked body is split again into
 * chunks of one socket read each: the parser buffers a whole chunk in memory before it returns any
 * of it.
 */
final class RequestInput implements Supplier<byte @Nullable []> {
  private static final byte[] NONE = {};
  private static final byte[] CRLF = {'\r', '\n'};
  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
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
  private final MalformedRequests malformed;

  /** What was read and, from {@link #from} on, not yet passed on. */
  private byte[] held;

  private int from;
  private Part part = Part.HEAD;
  private boolean http10;

  /** How much of a body or chunk is still to come. */
  private long left;

  private int sizeDigits;
  private volatile boolean headBegun;

  RequestInput(ConnectionContext context, MalformedRequests malformed) {
    this.socket = context.serverSocket();
    this.malformed = malformed;
    DataReader seen = context.dataReader();
    int available = seen.available();
    this.held = available == 0 ? NONE : seen.readBytes(available);
  }

  /** Whether a part of a head has come and the rest has not. */
  boolean headBegun() {
    return headBegun;
  }

  /** Whether the request that was passed on last is HTTP/1.0. */
  boolean http10() {
    return http10;
  }

  @Override
  public byte @Nullable [] get() {
    try {
      return next();
    } catch (RequestException e) {
      malformed.log(socket.remotePeer().host(), e);
      throw e;
    }
  }

  private byte @Nullable [] next() {
    while (from < held.length || readMore()) {
      byte[] passed =
          switch (part) {
            case HEAD -> head();
            case BODY -> pass(body(from));
            default -> chunks();
          };
      if (passed.length > 0) {
        return passed;
      }
    }
    return null;
  }

  /** False at the end of the connection. */
  private boolean readMore() {
    byte[] more;
    try {
      more = socket.get();
    } catch (UncheckedIOException e) {
      throw new ServerConnectionException("cannot read from the socket", e);
    }
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

  private byte[] pass(int to) {
    byte[] passed = from == 0 && to == held.length ? held : Arrays.copyOfRange(held, from, to);
    release(to);
    return passed;
  }

  private void release(int to) {
    from = to;
    if (from == held.length) {
      held = NONE;
      from = 0;
    }
  }

  // ---- heads ----

  /** Nothing if the connection ends before the head does. */
  private byte[] head() {
    int end = endOfHead();
    if (end < 0) {
      release(held.length);
      return NONE;
    }
    RequestHead head = new RequestHead(held, from, end);
    http10 = head.http10();
    left = head.contentLength();
    if (head.chunked()) {
      part = Part.SIZE;
    } else if (left > 0) {
      part = Part.BODY;
    }
    byte[] rewritten = head.rewritten();
    if (rewritten == null) {
      // A small body mostly comes with its head.
      return pass(part == Part.BODY ? body(end) : end);
    }
    release(end);
    return rewritten;
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

  /** Where that which has come of the body or the chunk ends. */
  private int body(int at) {
    int step = (int) Math.min(left, held.length - at);
    left -= step;
    if (left == 0) {
      part = part == Part.BODY ? Part.HEAD : Part.CHUNK_CR;
    }
    return at + step;
  }

  /** What has come of a chunked body, framed again; nothing if that is not yet any content. */
  private byte[] chunks() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(held.length - from + 32);
    int at = from;
    while (at < held.length && part != Part.HEAD) {
      if (part == Part.CHUNK) {
        int end = body(at);
        out.writeBytes(Integer.toHexString(end - at).getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(CRLF);
        out.write(held, at, end - at);
        out.writeBytes(CRLF);
        at = end;
      } else {
        frame(held[at++]);
      }
    }
    if (part == Part.HEAD) {
      out.writeBytes(LAST_CHUNK);
    }
    release(at);
    return out.toByteArray();
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
