package dev.postrider.inbound.verify;

import dev.postrider.inbound.verify.verifier.SourceSecret;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The response to a challenge; the request itself does not become a message.
 *
 * @param fetch a URL to be fetched by the gateway as part of the handshake: checked to belong to
 *     the provider
 * @param learned a secret sent by the provider, to be stored as the first one of the source
 */
public record HandshakeAnswer(
    int status,
    Map<String, String> headers,
    String body,
    @Nullable URI fetch,
    @Nullable SourceSecret learned) {

  static HandshakeAnswer text(String body) {
    return new HandshakeAnswer(200, of("text/plain; charset=utf-8"), body, null, null);
  }

  static HandshakeAnswer json(String body) {
    return new HandshakeAnswer(200, of("application/json"), body, null, null);
  }

  /** The body repeats text of the caller, so a browser must not take it for HTML. */
  private static Map<String, String> of(String contentType) {
    return Map.of("Content-Type", contentType, "X-Content-Type-Options", "nosniff");
  }

  static HandshakeAnswer empty(Map<String, String> headers) {
    return new HandshakeAnswer(200, headers, "", null, null);
  }

  HandshakeAnswer fetching(URI url) {
    return new HandshakeAnswer(status, headers, body, url, learned);
  }

  HandshakeAnswer learning(SourceSecret secret) {
    return new HandshakeAnswer(status, headers, body, fetch, secret);
  }
}
