package dev.postrider.inbound.verify;

import dev.postrider.inbound.source.SourceSecret;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a challenge is answered with; the request itself becomes no message.
 *
 * @param fetch to be fetched by the gateway, as its part of the handshake: checked to be the
 *     provider's
 * @param learned a secret that the provider gave, to be kept as the source's first
 */
public record HandshakeAnswer(
    int status,
    Map<String, String> headers,
    String body,
    @Nullable URI fetch,
    @Nullable SourceSecret learned) {

  static HandshakeAnswer text(String body) {
    return new HandshakeAnswer(
        200, Map.of("Content-Type", "text/plain; charset=utf-8"), body, null, null);
  }

  static HandshakeAnswer json(String body) {
    return new HandshakeAnswer(200, Map.of("Content-Type", "application/json"), body, null, null);
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
