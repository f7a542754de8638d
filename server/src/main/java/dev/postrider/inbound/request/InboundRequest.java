package dev.postrider.inbound.request;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A request as received. The body is not copied and must not be changed.
 *
 * @param method in upper case
 * @param url the complete public URL, with query, as the provider called it
 * @param remoteAddress the peer of the connection: the address of the proxy if there is one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record InboundRequest(
    String method, String url, Headers headers, byte[] body, String remoteAddress) {

  /** The values of the header joined by commas, null if it is missing. */
  public @Nullable String header(String name) {
    return headers.joined(name);
  }

  /** The part after the question mark, still encoded; empty if there is none. */
  public String query() {
    int mark = url.indexOf('?');
    if (mark < 0) {
      return "";
    }
    int hash = url.indexOf('#', mark);
    return url.substring(mark + 1, hash < 0 ? url.length() : hash);
  }

  /** A query parameter's first value, decoded; null if absent or not decodable. */
  public @Nullable String queryParameter(String name) {
    FormFields fields = FormFields.parse(query());
    return fields == null ? null : fields.first(name);
  }

  /**
   * With the query as a form body.
   *
   * @param without a parameter that is left out
   */
  public InboundRequest withQueryAsBody(@Nullable String without) {
    StringJoiner kept = new StringJoiner("&");
    for (String pair : query().split("&", -1)) {
      FormFields parsed = without == null ? null : FormFields.parse(pair);
      if (without == null || (parsed != null && parsed.first(without) == null)) {
        kept.add(pair);
      }
    }
    return new InboundRequest(
        method,
        url,
        headers.with("content-type", "application/x-www-form-urlencoded"),
        kept.toString().getBytes(StandardCharsets.UTF_8),
        remoteAddress);
  }

  /** With another body, of that content type. */
  public InboundRequest carrying(byte[] other, String contentType) {
    return new InboundRequest(
        method, url, headers.with("content-type", contentType), other, remoteAddress);
  }

  /** With this value of the header in place of the received ones; null removes it. */
  public InboundRequest with(String name, @Nullable String value) {
    return new InboundRequest(
        method,
        url,
        value == null ? headers.without(name) : headers.with(name, value),
        body,
        remoteAddress);
  }

  /** The media type without parameters, in lower case; empty if it is missing. */
  public String mediaType() {
    String type = headers.first("content-type");
    if (type == null) {
      return "";
    }
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return "InboundRequest[" + method + ", " + headers + ", " + body.length + " bytes]";
  }
}
