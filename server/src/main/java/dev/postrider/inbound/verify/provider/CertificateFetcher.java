package dev.postrider.inbound.verify.provider;

import java.io.IOException;
import java.net.URI;

/** Fetches a certificate; the only network access of this package. */
@FunctionalInterface
public interface CertificateFetcher {
  int MAX_BYTES = 65_536;

  /**
   * The bytes at the URL, at most {@link #MAX_BYTES}, within a few seconds; follows no redirect and
   * accepts only status 200. The host of the URL belongs to AWS or to one of its certificate
   * issuers.
   */
  byte[] fetch(URI url) throws IOException;
}
