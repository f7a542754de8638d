package dev.postrider.inbound.verify;

import dev.postrider.inbound.InboundRequest;
import dev.postrider.inbound.source.SourceSecret;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers a provider that asks whether a URL is really ours. */
public interface Handshake {

  /** When it may answer. */
  enum Stage {
    /** The provider does not sign this question. */
    BEFORE_VERIFICATION,
    /** The provider signs it, and wants to see that a wrong signature is refused. */
    AFTER_VERIFICATION
  }

  Stage stage();

  /**
   * Null if the request is no such question; then it goes on like any other.
   *
   * @param secrets the live ones, newest first
   */
  @Nullable HandshakeAnswer answer(InboundRequest request, List<SourceSecret> secrets);

  /** The handshakes of a scheme with these options, in the order to try. */
  static List<Handshake> of(String scheme, Map<String, String> options) {
    Scheme found = Schemes.get(scheme);
    return found.handshakes(SchemeOptions.of(scheme, options, found.options()));
  }
}
