package dev.postrider.api.http.connection;

import static dev.postrider.api.http.connection.MalformedRequests.refuseUnless;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The request line and headers of one request, checked against RFC 9112. Where the RFC leaves a
 * choice, this rejects the request: differences between parsers enable request smuggling. The
 * fields are found once; a text is created only of what is asked for.
 */
final class RequestHead {
  private static final boolean[] TOKEN = characters("!#$%&'*+-.^_`|~");
  private static final boolean[] TARGET = characters("-._~!$&'()*+,;=:@/?%[]");
  private static final boolean[] HOST_NAME = characters("-._~!$&'()*+,;=%");
  private static final boolean[] HOST_LITERAL = characters("-._~:%");
  private static final String VERSION = " HTTP/1.";
  private static final String CONTENT_LENGTH = "content-length";
  private static final String TRANSFER_ENCODING = "transfer-encoding";
  private static final String CHUNKED = "chunked";
  private static final String HOST = "host";
  private static final String HTTP = "http://";
  private static final String HTTPS = "https://";
  private static final int MAX_LENGTH_DIGITS = 18;
  private static final int MAX_PORT_DIGITS = 5;

  /** Of each field, where its name begins and ends and where its value begins and ends. */
  private static final int POSITIONS = 4;

  private static final int USUAL_FIELDS = 12;

  private final byte[] bytes;
  private final int from;
  private final int target;
  private final int version;

  /** Where the path begins: behind the host of an absolute target. */
  private final int path;

  private final boolean http10;
  private int[] fields = new int[USUAL_FIELDS * POSITIONS];
  private int used;
  private boolean chunked;
  private long contentLength = -1;

  /** Where the positions of the one Host field begin; -1 if there is none. */
  private int host = -1;

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
    int minor = version + VERSION.length();
    refuseUnless(
        matches(version, minor, VERSION)
            && (bytes[minor] == '1' || bytes[minor] == '0')
            && bytes[minor + 1] == '\r'
            && bytes[minor + 2] == '\n',
        "the HTTP version is not HTTP/1.1 or HTTP/1.0");
    this.http10 = bytes[minor] == '0';
    boolean absolute = bytes[target] != '/';
    int authority = absolute ? authority() : target;
    this.path = absolute ? endOfAuthority(authority) : target;
    checkFields(minor + 3, end - 2);
    if (absolute) {
      refuseUnless(path > authority, "the request target has no host");
      checkHost(authority, path);
    }
    refuseUnless(host >= 0 || absolute || http10, "the request does not have a Host header");
    if (host >= 0) {
      checkHost(fields[host + 2], fields[host + 3]);
      if (absolute) {
        // That of the target wins (RFC 9112, 3.2.2).
        fields[host + 2] = authority;
        fields[host + 3] = path;
      }
    }
  }

  private static boolean[] characters(String others) {
    boolean[] allowed = new boolean[256];
    for (char c = 0; c < 128; c++) {
      allowed[c] = Character.isLetterOrDigit(c) || others.indexOf(c) >= 0;
    }
    return allowed;
  }

  /** Whether a request may begin with this byte. */
  static boolean begins(byte first) {
    return TOKEN[first & 0xff] || first == '\r';
  }

  /** Whether a header may have this name. */
  static boolean isToken(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c >= TOKEN.length || !TOKEN[c]) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  String method() {
    return text(from, target - 1);
  }

  /** The path as the caller wrote it, without the query. */
  String path() {
    int end = query();
    return path == end ? "/" : text(path, end);
  }

  /** What follows the question mark, as the caller wrote it; null if there is none. */
  @Nullable String rawQuery() {
    int mark = query();
    return mark == version ? null : text(mark + 1, version);
  }

  private int query() {
    int at = path;
    while (at < version && bytes[at] != '?') {
      at++;
    }
    return at;
  }

  /** The number of the next field of this name, from that number on; -1 if there is none. */
  int field(String lowerCaseName, int first) {
    for (int n = first; n * POSITIONS < used; n++) {
      int at = n * POSITIONS;
      if (fields[at + 1] - fields[at] == lowerCaseName.length()
          && matches(fields[at], fields[at + 1], lowerCaseName)) {
        return n;
      }
    }
    return -1;
  }

  int fields() {
    return used / POSITIONS;
  }

  String name(int field) {
    return text(fields[field * POSITIONS], fields[field * POSITIONS + 1]);
  }

  String value(int field) {
    int start = fields[field * POSITIONS + 2];
    return new String(
        bytes, start, fields[field * POSITIONS + 3] - start, StandardCharsets.US_ASCII);
  }

  /** Whether the value is exactly this text, compared in constant time. */
  boolean isSecretValue(int field, String text) {
    int start = fields[field * POSITIONS + 2];
    if (fields[field * POSITIONS + 3] - start != text.length()) {
      return false;
    }
    int different = 0;
    for (int i = 0; i < text.length(); i++) {
      different |= bytes[start + i] ^ text.charAt(i);
    }
    return different == 0;
  }

  /** Whether the value is this text, without regard to case. */
  boolean valueIs(int field, String lowerCase) {
    return matches(fields[field * POSITIONS + 2], fields[field * POSITIONS + 3], lowerCase);
  }

  /** Whether the body comes in chunks. */
  boolean chunked() {
    return chunked;
  }

  /** The length of a body that does not come in chunks; -1 if it is not given. */
  long contentLength() {
    return contentLength;
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

  private void checkFields(int first, int emptyLine) {
    int at = first;
    while (at < emptyLine) {
      int colon = end(TOKEN, at);
      refuseUnless(colon > at && bytes[colon] == ':', "a header name is not valid");
      int end = endOfValue(colon + 1);
      int start = skipBlanks(colon + 1, end);
      int last = skipBlanksBack(start, end);
      int length = colon - at;
      if (length == CONTENT_LENGTH.length() && matches(at, colon, CONTENT_LENGTH)) {
        readContentLength(start, last);
      } else if (length == TRANSFER_ENCODING.length() && matches(at, colon, TRANSFER_ENCODING)) {
        readTransferEncoding(start, last);
      } else if (length == HOST.length() && matches(at, colon, HOST)) {
        refuseUnless(host < 0, "the request has more than one Host header");
        host = used;
      }
      add(at, colon, start, last);
      at = end + 2;
    }
    refuseUnless(
        !chunked || contentLength < 0, "the request has both Content-Length and Transfer-Encoding");
  }

  private void add(int name, int colon, int start, int end) {
    if (used == fields.length) {
      fields = Arrays.copyOf(fields, used * 2);
    }
    fields[used++] = name;
    fields[used++] = colon;
    fields[used++] = start;
    fields[used++] = end;
  }

  private int endOfValue(int start) {
    int at = start;
    while ((bytes[at] >= ' ' && bytes[at] != 0x7f) || bytes[at] < 0 || bytes[at] == '\t') {
      at++;
    }
    refuseUnless(bytes[at] == '\r' && bytes[at + 1] == '\n', "a header value is not valid");
    return at;
  }

  private void readContentLength(int first, int last) {
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

  private void readTransferEncoding(int first, int last) {
    refuseUnless(
        !chunked && !http10 && matches(first, last, CHUNKED),
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
  private boolean matches(int start, int end, String text) {
    if (end - start != text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      byte b = bytes[start + i];
      char other = text.charAt(i);
      if (b != other && !(b >= 'A' && b <= 'Z' && b + ('a' - 'A') == other)) {
        return false;
      }
    }
    return true;
  }

  // ---- hosts ----

  private int authority() {
    int http = target + HTTP.length();
    int https = target + HTTPS.length();
    boolean plain = http < version && matches(target, http, HTTP);
    refuseUnless(
        plain || (https < version && matches(target, https, HTTPS)),
        "the request target is not a path or an http URL");
    return plain ? http : https;
  }

  private int endOfAuthority(int start) {
    int at = start;
    while (at < version && bytes[at] != '/' && bytes[at] != '?') {
      at++;
    }
    return at;
  }

  /** A name or an address, in brackets if it is one of IPv6, and a port (RFC 9112, 3.2). */
  private void checkHost(int start, int end) {
    int at = start;
    if (at < end && bytes[at] == '[') {
      at = end(HOST_LITERAL, at + 1);
      refuseUnless(at > start + 1 && at < end && bytes[at] == ']', "the Host is not valid");
      at++;
    } else {
      at = Math.min(end(HOST_NAME, at), end);
      refuseUnless(at > start, "the Host is not valid");
    }
    if (at == end) {
      return;
    }
    int digits = end - at - 1;
    refuseUnless(
        bytes[at] == ':' && digits > 0 && digits <= MAX_PORT_DIGITS, "the Host is not valid");
    for (int i = at + 1; i < end; i++) {
      refuseUnless(bytes[i] >= '0' && bytes[i] <= '9', "the Host is not valid");
    }
  }

  private String text(int start, int end) {
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }
}
