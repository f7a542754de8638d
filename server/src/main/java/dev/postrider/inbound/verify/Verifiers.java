package dev.postrider.inbound.verify;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Creates verifiers by the name of their scheme. */
public final class Verifiers {
  private final SnsCertificates certificates;

  public Verifiers(SnsCertificates certificates) {
    this.certificates = certificates;
  }

  /** All schemes, sorted. */
  public static Set<String> schemes() {
    return Schemes.names();
  }

  /** Whether the provider sends the secret, so that a source may start without one. */
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

  /**
   * Rules that apply to all schemes: without a secret every request is rejected, and the number of
   * secrets is limited.
   */
  private record Bounded(Verifier verifier) implements Verifier {
    @Override
    public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
      if (verifier.needsSecret() && secrets.isEmpty()) {
        return new Invalid(Reason.NO_SECRET, "the source does not have a secret; set one");
      }
      List<SourceSecret> tried = secrets.subList(0, Math.min(secrets.size(), MAX_SECRETS));
      try {
        return verifier.verify(request, tried, nowMs);
      } catch (IllegalArgumentException e) {
        return withoutUnusable(request, tried, nowMs, e);
      }
    }

    /**
     * One secret with the wrong format, left from another scheme, must not prevent the use of the
     * others.
     */
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
          ? new Invalid(
              Reason.NO_SECRET,
              "none of the active secrets has the format of the scheme; set a valid one")
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
