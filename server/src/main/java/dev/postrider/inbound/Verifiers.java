package dev.postrider.inbound;

import dev.postrider.inbound.Verification.Invalid;
import dev.postrider.inbound.Verification.Reason;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes verifiers by the name of their scheme. */
public final class Verifiers {
  private final SnsCertificates certificates;

  public Verifiers(SnsCertificates certificates) {
    this.certificates = certificates;
  }

  /** All schemes, sorted. */
  public static Set<String> schemes() {
    return Schemes.names();
  }

  /**
   * Throws an IllegalArgumentException for an unknown scheme, an unknown option or a wrong value:
   * at configuration time, not at the first request.
   */
  public Verifier of(String scheme, Map<String, String> options) {
    Scheme found = Schemes.get(scheme);
    SchemeOptions given = SchemeOptions.of(scheme, options, found.options());
    Handshakes.cloudEvents(given);
    return new Bounded(found.verifier().apply(new Scheme.Setup(given, certificates)));
  }

  /** What holds for every scheme: no secret, no entry; and not endlessly many of them. */
  private record Bounded(Verifier verifier) implements Verifier {
    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      if (verifier.needsSecret() && secrets.isEmpty()) {
        return new Invalid(Reason.NO_SECRET, "the source has no secret yet; set one");
      }
      return verifier.verify(
          request, secrets.subList(0, Math.min(secrets.size(), MAX_SECRETS)), nowMs);
    }

    @Override
    public boolean needsSecret() {
      return verifier.needsSecret();
    }

    @Override
    public void checkSecret(SourceSecret secret) {
      verifier.checkSecret(secret);
    }
  }
}
