package dev.postrider.crypto.kms;

import dev.postrider.net.Cidr;
import dev.postrider.net.SpecialNetworks;
import java.net.InetAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.List;

/**
 * The URL of a key management or metadata service, with the check of its addresses. The operator
 * may set a URL in any network, such as a Vault on this machine. A URL that is derived from the
 * provider's name may also resolve to a private network, which is how a VPC endpoint works, but not
 * to this machine or to the metadata service of the cloud. The default address of a metadata
 * service is called without encryption, so it must not resolve to a public address.
 *
 * @param configured chosen by the operator, not derived from the URI of the key
 */
record ServiceAddress(URI uri, boolean configured) {
  private static final List<Cidr> PRIVATE =
      List.of(
          Cidr.parse("10.0.0.0/8"),
          Cidr.parse("100.64.0.0/10"),
          Cidr.parse("172.16.0.0/12"),
          Cidr.parse("192.168.0.0/16"),
          Cidr.parse("fc00::/7"));

  /** Throws if one of the addresses of the host may not be contacted. */
  void check(InetAddress... addresses) throws GeneralSecurityException {
    if (configured) {
      return;
    }
    boolean encrypted = uri.getScheme().equals("https");
    for (InetAddress address : addresses) {
      String special =
          SpecialNetworks.refusal(address.getAddress(), encrypted ? PRIVATE : List.of());
      if (encrypted && special != null) {
        throw new GeneralSecurityException(
            "%s resolves to %s (%s): correct the name servers of this machine, or set the address of the service with AWS_ENDPOINT_URL_KMS or CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS"
                .formatted(uri.getHost(), address.getHostAddress(), special));
      }
      if (!encrypted && special == null) {
        throw new GeneralSecurityException(
            "%s resolves to the public address %s: correct the name servers of this machine, or set the address of the metadata service with GCE_METADATA_HOST"
                .formatted(uri.getHost(), address.getHostAddress()));
      }
    }
  }
}
