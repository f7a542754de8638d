package dev.postrider.bench.load;

import java.nio.charset.StandardCharsets;

/**
 * Finds where an HTTP/1.1 message ends in a buffer. Reused for every message, so that scanning
 * allocates nothing.
 */
public final class HttpScan {
  private static final byte[] LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CHUNKED = "transfer-encoding:".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CONNECTION = "connection:".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private int bodyStart;
  private int end;
  private boolean close;

  public int bodyStart() {
    return bodyStart;
  }

  /** The index after the message. */
  public int end() {
    return end;
  }

  /** Whether the other side closes the connection after this message. */
  public boolean closes() {
    return close;
  }

  /** Whether a whole message stands at {@code from}; the accessors then describe it. */
  public boolean scan(byte[] bytes, int from, int to) {
    close = false;
    long length = 0;
    boolean chunked = false;
    int line = from;
    while (true) {
      int next = lineEnd(bytes, line, to);
      if (next < 0) {
        return false;
      }
      if (next - line == 2) {
        return ends(bytes, next, to, length, chunked);
      }
      int first = bytes[line] | 0x20;
      if (first == 'c' && startsWith(bytes, line, next, LENGTH)) {
        length = number(bytes, line + LENGTH.length, next);
      } else if (first == 't' && startsWith(bytes, line, next, CHUNKED)) {
        chunked = true;
      } else if (first == 'c' && startsWith(bytes, line, next, CONNECTION)) {
        close = hasClose(bytes, line + CONNECTION.length, next);
      }
      line = next;
    }
  }

  private boolean ends(byte[] bytes, int body, int to, long length, boolean chunked) {
    bodyStart = body;
    if (!chunked) {
      end = (int) Math.min(Integer.MAX_VALUE, body + length);
      return end <= to;
    }
    for (int i = body; i + LAST_CHUNK.length <= to; i++) {
      if ((i == body || bytes[i - 1] == '\n') && startsWith(bytes, i, to, LAST_CHUNK)) {
        end = i + LAST_CHUNK.length;
        return true;
      }
    }
    return false;
  }

  private static int lineEnd(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  private static boolean startsWith(byte[] bytes, int from, int to, byte[] lower) {
    if (to - from < lower.length) {
      return false;
    }
    for (int i = 0; i < lower.length; i++) {
      int b = bytes[from + i];
      int folded = b >= 'A' && b <= 'Z' ? b | 0x20 : b;
      if (folded != lower[i]) {
        return false;
      }
    }
    return true;
  }

  private static long number(byte[] bytes, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] >= '0' && bytes[i] <= '9') {
        value = value * 10 + (bytes[i] - '0');
      }
    }
    return value;
  }

  private static boolean hasClose(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.US_ASCII)
        .trim()
        .equalsIgnoreCase("close");
  }
}
