package dev.postrider.inbound.verify;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Responds to a provider that verifies the ownership of a URL. */
public interface Handshake {

  /** When the handshake is answered: before or after the request is verified. */
  enum Stage {
    /** The provider does not sign this request. */
    BEFORE_VERIFICATION,
    /** The provider signs it, and tests that a wrong signature is rejected. */
    AFTER_VERIFICATION
  }

  Stage stage();

  /**
   * Null if the request is not a handshake; then it is processed like any other.
   *
   * @param secrets the active ones, newest first
   */
  @Nullable HandshakeAnswer answer(InboundRequest request, List<SourceSecret> secrets);

  /** The handshakes of a scheme with these options, in the order in which they are applied. */
  static List<Handshake> of(String scheme, Map<String, String> options) {
    Scheme found = Schemes.get(scheme);
    return found.handshakes(SchemeOptions.of(scheme, options, found.options()));
  }
}
