package dev.postrider.inbound.verify;

import java.io.IOException;
import java.net.URI;

/** Gets a certificate; the only thing in this package that leaves the process. */
@FunctionalInterface
public interface CertificateFetcher {
  int MAX_BYTES = 65_536;

  /**
   * The bytes behind the URL, at most {@link #MAX_BYTES}, within a few seconds; follows no redirect
   * and takes nothing but status 200. The URL's host is one of AWS's or of its certificate issuers.
   */
  byte[] fetch(URI url) throws IOException;
}
