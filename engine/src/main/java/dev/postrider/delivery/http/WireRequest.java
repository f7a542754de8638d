package dev.postrider.delivery.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.HttpMessageWriter;
import org.apache.hc.core5.http.io.SessionOutputBuffer;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;

/**
 * A request as the bytes on the wire. Assembled in one array, since it is the hottest code of an
 * attempt: the header objects, formatters and length rules of the client are bypassed, and head and
 * body are sent in one write.
 */
final class WireRequest extends BasicClassicHttpRequest {
  private static final long serialVersionUID = 1;

  /** Bodies above this are written from the caller's array; copying a small one saves a write. */
  private static final int COPIED_BODY = 16 * 1024;

  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] NO_BODY = new byte[0];

  private final byte[] first;
  private final byte[] rest;

  private WireRequest(String method, byte[] first, byte[] rest) {
    super(method, "/");
    this.first = first;
    this.rest = rest;
  }

  /**
   * @param start request line and Host header
   */
  static WireRequest of(String method, byte[] start, HeaderList headers, byte[] body) {
    boolean hasLength = body.length > 0 || carriesBody(method);
    String length = Integer.toString(body.length);
    int size = start.length + 2;
    if (hasLength) {
      size += CONTENT_LENGTH.length + length.length() + 2;
    }
    for (int i = 0; i < headers.size(); i++) {
      size += headers.name(i).length() + headers.value(i).length() + 4;
    }
    boolean copied = body.length <= COPIED_BODY;
    byte[] bytes = new byte[copied ? size + body.length : size];
    System.arraycopy(start, 0, bytes, 0, start.length);
    int at = start.length;
    for (int i = 0; i < headers.size(); i++) {
      at = put(headers.name(i), bytes, at);
      bytes[at++] = ':';
      bytes[at++] = ' ';
      at = endLine(bytes, put(headers.value(i), bytes, at));
    }
    if (hasLength) {
      System.arraycopy(CONTENT_LENGTH, 0, bytes, at, CONTENT_LENGTH.length);
      at = endLine(bytes, put(length, bytes, at + CONTENT_LENGTH.length));
    }
    at = endLine(bytes, at);
    if (copied) {
      System.arraycopy(body, 0, bytes, at, body.length);
    }
    return new WireRequest(method, bytes, copied ? NO_BODY : body);
  }

  /** For methods that usually carry a body, an empty one is announced too. */
  private static boolean carriesBody(String method) {
    return switch (method) {
      case "POST", "PUT", "PATCH" -> true;
      default -> false;
    };
  }

  /**
   * Header text is Latin-1, checked by {@link HeaderList}; this copies its low bytes without an
   * array between.
   */
  @SuppressWarnings("deprecation")
  private static int put(String text, byte[] bytes, int at) {
    text.getBytes(0, text.length(), bytes, at);
    return at + text.length();
  }

  private static int endLine(byte[] bytes, int at) {
    bytes[at] = '\r';
    bytes[at + 1] = '\n';
    return at + 2;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes the prepared bytes; stateless, so all connections share one. */
  static final class Writer implements HttpMessageWriter<ClassicHttpRequest> {

    @Override
    public void write(ClassicHttpRequest message, SessionOutputBuffer buffer, OutputStream out)
        throws IOException, HttpException {
      WireRequest request = (WireRequest) message;
      buffer.write(request.first, out);
      if (request.rest.length > 0) {
        buffer.write(request.rest, out);
      }
    }
  }
}
