package dev.postrider.inbound.request;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The short text fields of a {@code multipart/form-data} body. Files and long fields are skipped;
 * only those fields are copied.
 */
public final class MultipartFields {
  public static final String MEDIA_TYPE = "multipart/form-data";
  public static final int MAX_PARTS = 1_000;
  static final int MAX_PART_HEADERS = 8 * 1_024;
  public static final int MAX_VALUE = 4_096;

  private static final Pattern BOUNDARY =
      Pattern.compile(
          ";\\s*boundary=(?:\"([^\"]{1,70})\"|([^\\s\";,]{1,70}))", Pattern.CASE_INSENSITIVE);
  private static final Pattern NAME = Pattern.compile(";\\s*name=(?:\"([^\"]*)\"|([^\\s\";]+))");
  private static final Pattern FILE = Pattern.compile(";\\s*filename\\*?=");
  private static final byte[] BLANK_LINE = {'\r', '\n', '\r', '\n'};

  private final byte[] body;
  private final byte[] delimiter;
  private final Map<String, String> fields = new HashMap<>();

  private MultipartFields(byte[] body, String boundary) {
    this.body = body;
    this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.UTF_8);
  }

  /** Null if it is not such a body, is incomplete, or has too many parts. */
  public static @Nullable MultipartFields parse(InboundRequest request) {
    String type = request.headers().first("content-type");
    if (type == null || !request.mediaType().equals(MEDIA_TYPE)) {
      return null;
    }
    Matcher boundary = BOUNDARY.matcher(type);
    if (!boundary.find()) {
      return null;
    }
    String text = boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
    MultipartFields parsed = new MultipartFields(request.body(), text);
    return parsed.read() ? parsed : null;
  }

  /** The field's first value. */
  @Nullable
  public String first(String name) {
    return fields.get(name);
  }

  private boolean read() {
    int at = start();
    for (int part = 0; part <= MAX_PARTS; part++) {
      if (at < 0 || at + 2 > body.length) {
        return false;
      }
      if (body[at] == '-' && body[at + 1] == '-') {
        return part > 0;
      }
      int from = lineEnd(at);
      int end = from < 0 ? -1 : indexOf(delimiter, from - 2, body.length);
      if (end < 0) {
        return false;
      }
      part(from, end);
      at = end + delimiter.length;
    }
    return false;
  }

  /** After the first boundary, which needs no line before it. */
  private int start() {
    if (startsWith(delimiter, 2, 0)) {
      return delimiter.length - 2;
    }
    int found = indexOf(delimiter, 0, body.length);
    return found < 0 ? -1 : found + delimiter.length;
  }

  /** After the end of the line; a boundary may be followed by blanks. */
  private int lineEnd(int at) {
    int i = at;
    while (i < body.length && (body[i] == ' ' || body[i] == '\t')) {
      i++;
    }
    return i + 2 <= body.length && body[i] == '\r' && body[i + 1] == '\n' ? i + 2 : -1;
  }

  private void part(int from, int end) {
    int blank = indexOf(BLANK_LINE, from, Math.min(end, from + MAX_PART_HEADERS));
    int value = blank + BLANK_LINE.length;
    if (blank < 0 || end - value > MAX_VALUE || end < value) {
      return;
    }
    String headers = new String(body, from, blank - from, StandardCharsets.UTF_8);
    for (String line : headers.split("\r\n", -1)) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-disposition:")
          && !FILE.matcher(line).find()) {
        Matcher name = NAME.matcher(line);
        if (name.find()) {
          fields.putIfAbsent(
              name.group(1) == null ? name.group(2) : name.group(1),
              new String(body, value, end - value, StandardCharsets.UTF_8));
        }
        return;
      }
    }
  }

  private int indexOf(byte[] wanted, int from, int to) {
    for (int i = Math.max(0, from); i + wanted.length <= to; i++) {
      if (body[i] == wanted[0] && startsWith(wanted, 0, i)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether the searched bytes, without the first few, are at that position. */
  private boolean startsWith(byte[] wanted, int without, int at) {
    if (at + wanted.length - without > body.length) {
      return false;
    }
    for (int i = without; i < wanted.length; i++) {
      if (body[at + i - without] != wanted[i]) {
        return false;
      }
    }
    return true;
  }
}
