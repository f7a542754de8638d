package dev.postrider.app;

import dev.postrider.engine.services.TargetServices;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.verify.provider.CertificateFetcher;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import java.security.cert.TrustAnchor;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Access to resources of webhook providers, such as certificates. The caller has to check that a
 * URL is allowed.
 */
record Providers(
    CertificateFetcher certificates,
    Supplier<Set<TrustAnchor>> anchors,
    Gateway.Confirmer confirmer) {
  static Providers onTheWeb(TargetServices targets) {
    ProviderFetch fetch = new ProviderFetch(targets.http(), targets.rules());
    return new Providers(fetch::get, SnsCertificates::systemAnchors, fetch::confirm);
  }
}
