package dev.postrider.app;

import dev.postrider.config.Config;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.verify.provider.CertificateFetcher;
import java.security.cert.TrustAnchor;
import java.util.Set;

/** Servers for which a test stands in for the webhook providers' hosts. */
public final class ProviderStandIns {
  private ProviderStandIns() {}

  public static App open(
      Config config,
      CertificateFetcher certificates,
      Set<TrustAnchor> anchors,
      Gateway.Confirmer confirmer) {
    return App.open(config, _ -> new Providers(certificates, () -> anchors, confirmer));
  }
}
