package dev.postrider.inbound.verify;

import dev.postrider.inbound.InboundRequest;
import dev.postrider.inbound.source.SourceSecret;
import dev.postrider.inbound.verify.Verification.Invalid;
import dev.postrider.inbound.verify.Verification.Reason;
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

  /** Whether the provider itself gives the secret, so that a source may begin without one. */
  public static boolean learnsSecret(String scheme) {
    return Schemes.get(scheme).learnsSecret();
  }

  /**
   * Throws an IllegalArgumentException for an unknown scheme, an unknown option or a wrong value:
   * at configuration time, not at the first request.
   */
  public Verifier of(String scheme, Map<String, String> options) {
    Scheme found = Schemes.get(scheme);
    SchemeOptions given = SchemeOptions.of(scheme, options, found.options());
    var _ = Handshakes.cloudEvents(given, true);
    var _ = found.unwrapping().apply(given);
    return new Bounded(found.verifier().apply(new Scheme.Setup(given, certificates)));
  }

  /** What holds for every scheme: no secret, no entry; and not endlessly many of them. */
  private record Bounded(Verifier verifier) implements Verifier {
    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      if (verifier.needsSecret() && secrets.isEmpty()) {
        return new Invalid(Reason.NO_SECRET, "the source has no secret yet; set one");
      }
      List<SourceSecret> tried = secrets.subList(0, Math.min(secrets.size(), MAX_SECRETS));
      try {
        return verifier.verify(request, tried, nowMs);
      } catch (IllegalArgumentException e) {
        return withoutUnusable(request, tried, nowMs, e);
      }
    }

    /** One secret of the wrong form, left from another scheme, must not lock out the right one. */
    private Verification withoutUnusable(
        InboundRequest request,
        List<SourceSecret> tried,
        long nowMs,
        IllegalArgumentException problem) {
      List<SourceSecret> usable = tried.stream().filter(this::isUsable).toList();
      if (usable.size() == tried.size()) {
        throw problem; // not about a secret
      }
      return usable.isEmpty()
          ? new Invalid(Reason.NO_SECRET, "no live secret is of the scheme's form; set one")
          : verifier.verify(request, usable, nowMs);
    }

    private boolean isUsable(SourceSecret secret) {
      try {
        verifier.checkSecret(secret);
        return true;
      } catch (IllegalArgumentException _) {
        return false;
      }
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
