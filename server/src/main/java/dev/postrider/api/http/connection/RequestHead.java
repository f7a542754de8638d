package dev.postrider.api.http.connection;

import static dev.postrider.api.http.connection.MalformedRequests.refuseUnless;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The request line and headers of one request, checked against RFC 9112. Where the RFC leaves a
 * choice, this rejects the request: differences between parsers enable request smuggling.
 */
final class RequestHead {
  private static final boolean[] TOKEN = characters("!#$%&'*+-.^_`|~");
  private static final boolean[] TARGET = characters("-._~!$&'()*+,;=:@/?%[]");
  private static final byte[] VERSION = ascii(" HTTP/1.");
  private static final byte[] CONTENT_LENGTH = ascii("content-length");
  private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");
  private static final byte[] CHUNKED = ascii("chunked");
  private static final byte[] HOST = ascii("host");
  private static final byte[] CONNECTION = ascii("connection");
  private static final byte[] HTTP = ascii("http://");
  private static final byte[] HTTPS = ascii("https://");
  private static final int MAX_LENGTH_DIGITS = 18;

  private final byte[] bytes;
  private final int from;
  private final int fields;
  private final int target;
  private final int version;
  private final boolean http10;
  private boolean chunked;
  private long contentLength = -1;

  /**
   * @param from where the request line begins
   * @param end behind the empty line that ends the head
   */
  RequestHead(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.from = from;
    this.target = end(TOKEN, from) + 1;
    refuseUnless(target > from + 1 && bytes[target - 1] == ' ', "the method is not valid");
    this.version = end(TARGET, target);
    refuseUnless(version > target && bytes[version] == ' ', "the request target is not valid");
    checkEscapes();
    int minor = version + VERSION.length;
    refuseUnless(
        matches(version, minor, VERSION)
            && (bytes[minor] == '1' || bytes[minor] == '0')
            && bytes[minor + 1] == '\r'
            && bytes[minor + 2] == '\n',
        "the HTTP version is not HTTP/1.1 or HTTP/1.0");
    this.http10 = bytes[minor] == '0';
    this.fields = minor + 3;
    checkFields(end - 2);
  }

  private static boolean[] characters(String others) {
    boolean[] allowed = new boolean[256];
    for (char c = 0; c < 128; c++) {
      allowed[c] = Character.isLetterOrDigit(c) || others.indexOf(c) >= 0;
    }
    return allowed;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether a request may begin with this byte. */
  static boolean begins(byte first) {
    return TOKEN[first & 0xff] || first == '\r';
  }

  /** Whether the body comes in chunks. */
  boolean chunked() {
    return chunked;
  }

  /** The length of a body that does not come in chunks. */
  long contentLength() {
    return Math.max(contentLength, 0);
  }

  boolean http10() {
    return http10;
  }

  // ---- checks ----

  private int end(boolean[] allowed, int start) {
    int at = start;
    while (allowed[bytes[at] & 0xff]) {
      at++;
    }
    return at;
  }

  private void checkEscapes() {
    for (int at = target; at < version; at++) {
      if (bytes[at] == '%') {
        refuseUnless(
            Character.digit(bytes[at + 1], 16) >= 0 && Character.digit(bytes[at + 2], 16) >= 0,
            "the request target has a % that is not followed by two hexadecimal digits");
      }
    }
  }

  private void checkFields(int emptyLine) {
    int at = fields;
    while (at < emptyLine) {
      int colon = end(TOKEN, at);
      refuseUnless(colon > at && bytes[colon] == ':', "a header name is not valid");
      int end = endOfValue(colon + 1);
      int length = colon - at;
      if (length == CONTENT_LENGTH.length && matches(at, colon, CONTENT_LENGTH)) {
        readContentLength(colon + 1, end);
      } else if (length == TRANSFER_ENCODING.length && matches(at, colon, TRANSFER_ENCODING)) {
        readTransferEncoding(colon + 1, end);
      }
      at = end + 2;
    }
    refuseUnless(
        !chunked || contentLength < 0, "the request has both Content-Length and Transfer-Encoding");
  }

  private int endOfValue(int start) {
    int at = start;
    while ((bytes[at] >= ' ' && bytes[at] != 0x7f) || bytes[at] < 0 || bytes[at] == '\t') {
      at++;
    }
    refuseUnless(bytes[at] == '\r' && bytes[at + 1] == '\n', "a header value is not valid");
    return at;
  }

  private void readContentLength(int start, int end) {
    int first = skipBlanks(start, end);
    int last = skipBlanksBack(first, end);
    int digits = last - first;
    refuseUnless(
        contentLength < 0 && digits > 0 && digits <= MAX_LENGTH_DIGITS,
        "the Content-Length is not a single number");
    contentLength = 0;
    for (int at = first; at < last; at++) {
      refuseUnless(
          bytes[at] >= '0' && bytes[at] <= '9', "the Content-Length is not a single number");
      contentLength = contentLength * 10 + bytes[at] - '0';
    }
  }

  private void readTransferEncoding(int start, int end) {
    int first = skipBlanks(start, end);
    refuseUnless(
        !chunked && !http10 && matches(first, skipBlanksBack(first, end), CHUNKED),
        "the Transfer-Encoding is not exactly chunked");
    chunked = true;
  }

  private int skipBlanks(int start, int end) {
    int at = start;
    while (at < end && isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  private int skipBlanksBack(int start, int end) {
    int at = end;
    while (at > start && isBlank(bytes[at - 1])) {
      at--;
    }
    return at;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  /** Compares without regard to case, except for characters that have none. */
  private boolean matches(int start, int end, byte[] text) {
    if (end - start != text.length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      byte b = bytes[start + i];
      byte other = text[i];
      if (b != other && !(b >= 'A' && b <= 'Z' && b + ('a' - 'A') == other)) {
        return false;
      }
    }
    return true;
  }

  // ---- the forms that Helidon does not take ----

  /**
   * The head as HTTP/1.1 with a target that begins with a slash; null if it is that already. An
   * HTTP/1.0 request gets one answer and a closed connection.
   */
  byte @Nullable [] rewritten() {
    boolean absolute = bytes[target] != '/';
    return absolute || http10 ? rewrite(absolute) : null;
  }

  private byte[] rewrite(boolean absolute) {
    int authority = absolute ? authority() : target;
    int path = authority;
    while (absolute && path < version && bytes[path] != '/' && bytes[path] != '?') {
      path++;
    }
    refuseUnless(path > authority || !absolute, "the request target has no host");
    StringBuilder head = new StringBuilder(bytes.length + 64);
    head.append(text(from, target)).append(bytes[path] == '/' ? "" : "/");
    head.append(text(path, version)).append(" HTTP/1.1\r\n");
    String host = absolute ? text(authority, path) : null;
    for (int at = fields; bytes[at] != '\r'; ) {
      int colon = end(TOKEN, at);
      int next = endOfValue(colon + 1) + 2;
      if (matches(at, colon, HOST)) {
        // That of the target wins (RFC 9112, 3.2.2).
        host = host == null ? text(colon + 1, next - 2).strip() : host;
      } else if (!http10 || !matches(at, colon, CONNECTION)) {
        head.append(text(at, next));
      }
      at = next;
    }
    head.append("Host: ").append(host == null ? "localhost" : host).append("\r\n");
    head.append(http10 ? "Connection: close\r\n\r\n" : "\r\n");
    return head.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private int authority() {
    int http = target + HTTP.length;
    int https = target + HTTPS.length;
    boolean plain = http < version && matches(target, http, HTTP);
    refuseUnless(
        plain || (https < version && matches(target, https, HTTPS)),
        "the request target is not a path or an http URL");
    return plain ? http : https;
  }

  private String text(int start, int end) {
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }
}
