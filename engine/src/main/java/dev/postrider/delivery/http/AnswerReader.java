package dev.postrider.delivery.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/** Reads a response up to its limits and decides whether its connection may be reused. */
final class AnswerReader {
  private static final byte[] EMPTY = new byte[0];
  private static final int CHUNK = 2048;

  private final int keptBytes;
  private final int readBytes;
  private final String control;
  private final boolean undelimited;

  AnswerReader(int keptBytes, int readBytes, SenderSettings.AnswerRules rules) {
    this.keptBytes = keptBytes;
    this.readBytes = readBytes;
    this.control = rules.control();
    this.undelimited = rules.undelimited();
  }

  /**
   * A response, and whether and for how long its connection can be reused.
   *
   * @param idleSeconds the idle time that the endpoint allows in a Keep-Alive header, or -1
   */
  record Read(HttpResult.Answered answer, boolean reusable, int idleSeconds) {}

  Read read(ClassicHttpResponse response, boolean sentTwice) throws IOException {
    Heads heads = new Heads(response, control);
    Body body = body(response.getEntity());
    HttpResult.Answered answer =
        new HttpResult.Answered(
            response.getCode(),
            body.kept,
            body.truncated || !(body.complete || undelimited),
            heads.retryAfter,
            heads.control,
            sentTwice);
    return new Read(answer, body.complete && heads.keepsAlive(), heads.idleSeconds);
  }

  private Body body(@Nullable HttpEntity entity) throws IOException {
    if (entity == null) {
      return Body.NONE;
    }
    long declared = entity.getContentLength();
    if (declared == 0) {
      return Body.NONE;
    }
    // Without a length or chunks, a response ends with its connection.
    boolean delimited = declared > 0 || entity.isChunked();
    @SuppressWarnings(
        "resource") // closing it would read the rest; the connection is closed instead
    InputStream in = entity.getContent();
    return declared > 0 && declared <= keptBytes
        ? whole(in, (int) declared)
        : capped(in, declared, delimited);
  }

  private static Body whole(InputStream in, int length) throws IOException {
    byte[] kept = new byte[length];
    int size = 0;
    while (size < length) {
      int count = in.read(kept, size, length - size);
      if (count < 0) {
        return new Body(Arrays.copyOf(kept, size), false, false);
      }
      size += count;
    }
    return new Body(kept, false, true);
  }

  private Body capped(InputStream in, long declared, boolean delimited) throws IOException {
    byte[] kept = new byte[Math.min(keptBytes, CHUNK)];
    int size = 0;
    while (size < keptBytes) {
      if (size == kept.length) {
        kept = Arrays.copyOf(kept, Math.min(keptBytes, 2 * kept.length));
      }
      int count = in.read(kept, size, kept.length - size);
      if (count < 0) {
        return new Body(Arrays.copyOf(kept, size), false, delimited);
      }
      size += count;
    }
    if (declared > readBytes) {
      return new Body(kept, true, false);
    }
    return drained(in, kept, delimited);
  }

  /** Reads on without keeping, to reuse the connection, unless the rest is too long for that. */
  private Body drained(InputStream in, byte[] kept, boolean delimited) throws IOException {
    byte[] dropped = new byte[CHUNK];
    int read = kept.length;
    boolean truncated = false;
    while (read < readBytes) {
      int count = in.read(dropped, 0, Math.min(CHUNK, readBytes - read));
      if (count < 0) {
        return new Body(kept, truncated, delimited);
      }
      truncated = true;
      read += count;
    }
    return new Body(kept, true, false);
  }

  private static final class Body {
    static final Body NONE = new Body(EMPTY, false, true);

    final byte[] kept;
    final boolean truncated;

    /** Read completely, with the connection at the start of the next response. */
    final boolean complete;

    Body(byte[] kept, boolean truncated, boolean complete) {
      this.kept = kept;
      this.truncated = truncated;
      this.complete = complete;
    }
  }

  /** The response headers that the sender uses, collected in one pass. */
  private static final class Heads {
    private static final String IDLE_PARAMETER = "timeout=";

    @Nullable String retryAfter;
    @Nullable String control;
    int idleSeconds = -1;
    private final String controlName;
    private boolean close;
    private boolean hasLength;
    private boolean hasEncoding;

    Heads(ClassicHttpResponse response, String controlName) {
      this.controlName = controlName;
      ProtocolVersion version = response.getVersion();
      close = version != null && version.lessEquals(HttpVersion.HTTP_1_0);
      for (Iterator<Header> headers = response.headerIterator(); headers.hasNext(); ) {
        note(headers.next());
      }
    }

    boolean keepsAlive() {
      // Both together enable response splitting between two readers: never trust what follows.
      return !close && !(hasLength && hasEncoding);
    }

    private void note(Header header) {
      String name = header.getName();
      if (name.equalsIgnoreCase(controlName)) {
        control = header.getValue();
        return;
      }
      switch (name.length()) {
        case 10 -> noteConnection(header, name);
        case 11 -> {
          if (name.equalsIgnoreCase("retry-after")) {
            retryAfter = header.getValue();
          }
        }
        case 14 -> hasLength |= name.equalsIgnoreCase("content-length");
        case 17 -> hasEncoding |= name.equalsIgnoreCase("transfer-encoding");
        default -> {}
      }
    }

    private void noteConnection(Header header, String name) {
      String value = header.getValue();
      if (value == null) {
        return;
      }
      if (name.equalsIgnoreCase("connection")) {
        close |= containsIgnoreCase(value, "close");
      } else if (name.equalsIgnoreCase("keep-alive")) {
        idleSeconds = idleSeconds(value);
      }
    }

    private static int idleSeconds(String value) {
      int at = value.indexOf(IDLE_PARAMETER);
      if (at < 0) {
        return -1;
      }
      int seconds = 0;
      int digits = 0;
      for (int i = at + IDLE_PARAMETER.length(); i < value.length() && digits < 6; i++, digits++) {
        int digit = Character.digit(value.charAt(i), 10);
        if (digit < 0) {
          break;
        }
        seconds = 10 * seconds + digit;
      }
      return digits == 0 ? -1 : seconds;
    }

    private static boolean containsIgnoreCase(String text, String part) {
      for (int i = 0; i + part.length() <= text.length(); i++) {
        if (text.regionMatches(true, i, part, 0, part.length())) {
          return true;
        }
      }
      return false;
    }
  }
}
