package dev.postrider.api.http;

import dev.postrider.api.http.connection.HttpRequest;
import dev.postrider.api.http.connection.HttpResponse;
import io.helidon.http.HeaderNames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Compresses long responses to clients that accept gzip. Responses to sends, streams and changes
 * are never compressed, nor are responses with a secret, because their length would disclose
 * something about it. Only a few responses are compressed at the same time; the others are sent
 * uncompressed.
 */
final class Compression {
  /** Shorter responses fit into one or two packets anyway. */
  static final int MIN_BYTES = 2_048;

  /** A response of this length takes a core about a tenth of a second. */
  static final int MAX_BYTES = 16 * 1024 * 1024;

  private static final int BUFFER_BYTES = 8_192;
  private static final int EXPECTED_RATIO = 4;
  private static final Pattern WEIGHT = Pattern.compile("0(\\.\\d{0,3})?|1(\\.0{0,3})?");
  private static final Pattern ZERO = Pattern.compile("0(\\.0{0,3})?");
  private static final String GZIP = "gzip";

  private final Semaphore places;

  /**
   * @param atOnce how many responses are compressed at the same time
   */
  Compression(int atOnce) {
    this.places = new Semaphore(atOnce);
  }

  /** Half of the processors stay free. */
  static Compression ofMachine() {
    return new Compression(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
  }

  /** The body to send; the headers say how it is encoded. */
  byte[] applied(HttpRequest request, Router.Route route, HttpResponse response, byte[] body) {
    boolean reads = request.method().equals("GET") || request.isHead();
    if (!reads || route.has(RouteAttribute.RETURNS_SECRET)) {
      return body;
    }
    response.header(
        HeaderNames.VARY,
        "accept-encoding"); // also on short responses: the next one of this route may be long
    if (body.length < MIN_BYTES || body.length > MAX_BYTES) {
      return body;
    }
    String accepted = request.header(HeaderNames.ACCEPT_ENCODING);
    byte[] packed = accepted != null && acceptsGzip(accepted) ? packedIfFree(body) : null;
    if (packed == null) {
      return body;
    }
    response.header(HeaderNames.CONTENT_ENCODING, GZIP);
    return packed;
  }

  /** Null if too many responses are being compressed. */
  byte @Nullable [] packedIfFree(byte[] body) {
    if (!places.tryAcquire()) {
      return null;
    }
    try {
      return packed(body);
    } finally {
      places.release();
    }
  }

  private static byte[] packed(byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / EXPECTED_RATIO);
    try (Fast out = new Fast(bytes)) {
      out.write(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static final class Fast extends GZIPOutputStream {
    Fast(ByteArrayOutputStream out) throws IOException {
      super(out, BUFFER_BYTES);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /** Whether the header names gzip, or everything, with a weight above zero (RFC 9110, 12.5.3). */
  static boolean acceptsGzip(String header) {
    boolean any = false;
    for (String part : header.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] fields = part.split(";", -1);
      String name = fields[0].strip();
      if (name.equals(GZIP)) {
        return isWanted(fields);
      }
      any |= name.equals("*") && isWanted(fields);
    }
    return any;
  }

  /** A weight that cannot be read counts as none. */
  private static boolean isWanted(String[] fields) {
    for (int n = 1; n < fields.length; n++) {
      String field = fields[n].strip();
      if (field.startsWith("q=")) {
        String weight = field.substring(2).strip();
        return WEIGHT.matcher(weight).matches() && !ZERO.matcher(weight).matches();
      }
    }
    return true;
  }
}
