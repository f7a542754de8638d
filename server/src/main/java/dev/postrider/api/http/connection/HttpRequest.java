package dev.postrider.api.http.connection;

import io.helidon.http.HeaderName;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A request whose head was received and checked. Its body is read by its handler. */
public final class HttpRequest {
  private static final String CONNECTION = "connection";
  private static final String CLOSE = "close";

  private final RequestHead head;
  private final BodyInput body;
  private final HttpConnection connection;
  private final String method;
  private final String path;

  HttpRequest(RequestHead head, BodyInput body, HttpConnection connection) {
    this.head = head;
    this.body = body;
    this.connection = connection;
    this.method = head.method().toUpperCase(Locale.ROOT);
    this.path = head.path();
  }

  public String method() {
    return method;
  }

  public boolean isHead() {
    return method.equals("HEAD");
  }

  /** The path as the caller wrote it, without the query. */
  public String rawPath() {
    return path;
  }

  /** What follows the question mark, as the caller wrote it; null if there is none. */
  public @Nullable String rawQuery() {
    return head.rawQuery();
  }

  /** The value of the header, those of several with a comma between them; null if there is none. */
  public @Nullable String header(HeaderName name) {
    String wanted = name.lowerCase();
    int first = head.field(wanted, 0);
    if (first < 0) {
      return null;
    }
    int next = head.field(wanted, first + 1);
    if (next < 0) {
      return head.value(first);
    }
    StringBuilder joined = new StringBuilder(head.value(first));
    for (; next >= 0; next = head.field(wanted, next + 1)) {
      joined.append(',').append(head.value(next));
    }
    return joined.toString();
  }

  /** The first value of the header; null if there is none. */
  public @Nullable String first(HeaderName name) {
    int first = head.field(name.lowerCase(), 0);
    return first < 0 ? null : head.value(first);
  }

  /** All headers with all their values, by their names in lower case. */
  public Map<String, List<String>> headers() {
    Map<String, List<String>> all = new HashMap<>();
    for (int n = 0; n < head.fields(); n++) {
      all.computeIfAbsent(head.name(n).toLowerCase(Locale.ROOT), _ -> new ArrayList<>(1))
          .add(head.value(n));
    }
    return all;
  }

  /** Whether the header has exactly this value. The time it takes depends only on the lengths. */
  public boolean isSecretHeader(HeaderName name, String value) {
    int first = head.field(name.lowerCase(), 0);
    return first >= 0
        && head.field(name.lowerCase(), first + 1) < 0
        && head.isSecretValue(first, value);
  }

  /** What the handler of an earlier request left on this connection; null if nothing. */
  public @Nullable Object attachment() {
    return connection.attachment();
  }

  /** Leaves an object for the handlers of later requests on this connection. */
  public void attach(Object attachment) {
    connection.attach(attachment);
  }

  /** The announced length of the body. */
  public OptionalLong contentLength() {
    long length = head.contentLength();
    return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
  }

  public boolean hasBody() {
    return head.chunked() || head.contentLength() > 0;
  }

  /** The body; it does not have to be read to its end, nor to be closed. */
  public InputStream body() {
    return body;
  }

  public boolean http10() {
    return head.http10();
  }

  /** Whether the request came over TLS. */
  public boolean isSecure() {
    return connection.isSecure();
  }

  /** The address that the connection comes from. */
  public String peer() {
    return connection.peer();
  }

  /** Whether the client expects no other response on this connection. */
  boolean isLast() {
    if (head.http10()) {
      return true;
    }
    for (int n = head.field(CONNECTION, 0); n >= 0; n = head.field(CONNECTION, n + 1)) {
      if (!head.valueIs(n, "keep-alive") && closes(head.value(n))) {
        return true;
      }
    }
    return false;
  }

  private static boolean closes(String options) {
    return Arrays.stream(options.split(",", -1))
        .anyMatch(option -> option.strip().equalsIgnoreCase(CLOSE));
  }

  /** Whether the client sends the body only after the server agreed to it. */
  boolean expectsContinue() {
    int expect = head.http10() ? -1 : head.field("expect", 0);
    return expect >= 0 && head.valueIs(expect, "100-continue");
  }
}
