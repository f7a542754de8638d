package dev.postrider.inbound.request;

import dev.postrider.json.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** CloudEvents over HTTP: attributes as {@code ce-} headers, or the whole event as JSON. */
public final class CloudEvents {
  public static final String STRUCTURED = "application/cloudevents+json";

  private CloudEvents() {}

  /** The header of an attribute: characters other than visible ASCII are percent-encoded UTF-8. */
  static Extractor binary(String attribute) {
    Extractor header = Extractor.header("ce-" + attribute);
    return request -> {
      String value = header.extract(request);
      return value == null || value.indexOf('%') < 0 ? value : decoded(value);
    };
  }

  /** The text as received if it does not decode to UTF-8. */
  private static String decoded(String value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(value.length());
    for (int i = 0; i < value.length(); i++) {
      int code = value.charAt(i);
      if (code == '%') {
        code = i + 3 > value.length() ? -1 : hex(value, i + 1);
        i += 2;
      }
      if (code < 0 || code > 0xff) {
        return value;
      }
      bytes.write(code);
    }
    byte[] whole = bytes.toByteArray();
    return Utf8.valid(whole) ? new String(whole, StandardCharsets.UTF_8) : value;
  }

  private static int hex(String value, int at) {
    int high = Character.digit(value.charAt(at), 16);
    int low = Character.digit(value.charAt(at + 1), 16);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  static Extractor structured(String attribute) {
    Extractor field = Extractor.field(attribute);
    return request -> request.mediaType().equals(STRUCTURED) ? field.extract(request) : null;
  }

  /** The {@code ce-type} header, or the {@code type} of a structured event. */
  public static Extractor type() {
    return binary("type").or(structured("type"));
  }

  /** Unique per event by the specification: source and id together. */
  public static Extractor identity() {
    Extractor binary = binary("source").then("#", binary("id"));
    Extractor structured = structured("source").then("#", structured("id"));
    return request -> {
      if (request.header("ce-id") != null) {
        return binary.extract(request);
      }
      return structured("id").extract(request) == null ? null : structured.extract(request);
    };
  }
}
