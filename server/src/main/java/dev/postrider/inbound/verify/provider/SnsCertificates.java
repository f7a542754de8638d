package dev.postrider.inbound.verify.provider;

import dev.postrider.limit.RateLimiter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the certificates that SNS signs with: fetched once, checked to be issued for SNS, valid
 * now and issued under a trusted root. Rejected ones are cached too, and fetches are rate limited,
 * since any request can name a certificate.
 */
public final class SnsCertificates {
  static final int MAX_KEPT = 64;
  public static final int MAX_FETCHES_PER_MINUTE = 20;
  static final int MAX_ISSUERS = 3;
  static final Duration KEPT = Duration.ofHours(24);
  static final Duration REFUSAL_KEPT = Duration.ofMinutes(5);
  public static final Duration FAILURE_KEPT = Duration.ofSeconds(10);

  /** The access description "CA issuers" of RFC 5280, up to the tag of a URI. */
  private static final byte[] CA_ISSUERS = HexFormat.of().parseHex("06082b0601050507300286");

  private static final String AUTHORITY_INFORMATION = "1.3.6.1.5.5.7.1.1";

  /** The result of a lookup. */
  sealed interface Result {
    record Trusted(PublicKey key) implements Result {}

    record Untrusted(String text) implements Result {}

    record Unavailable(String text) implements Result {}
  }

  private record Kept(Result result, long untilMs) {}

  private final CertificateFetcher fetcher;
  private final Supplier<Set<TrustAnchor>> source;
  private volatile @Nullable Set<TrustAnchor> anchors;

  /** Guarded by itself; fetches happen outside. */
  private final SequencedMap<URI, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

  /** Of all fetches together, so there is one key. */
  private final RateLimiter<String> fetches = new RateLimiter<>(1, RateLimiter.WhenFull.REFUSE);

  public SnsCertificates(CertificateFetcher fetcher, Set<TrustAnchor> anchors) {
    this(fetcher, () -> anchors);
  }

  /**
   * @param source called once, for the first certificate: reading a trust store takes a tenth of
   *     the time that a server needs to start, and most have no such source
   */
  public SnsCertificates(CertificateFetcher fetcher, Supplier<Set<TrustAnchor>> source) {
    this.fetcher = fetcher;
    this.source = source;
  }

  private Set<TrustAnchor> anchors() {
    Set<TrustAnchor> known = anchors;
    if (known == null) {
      known = Set.copyOf(source.get());
      anchors = known;
    }
    return known;
  }

  /** The trusted roots of this Java runtime; read once. */
  public static Set<TrustAnchor> systemAnchors() {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((KeyStore) null);
      Set<TrustAnchor> anchors = new HashSet<>();
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager x509) {
          for (X509Certificate root : x509.getAcceptedIssuers()) {
            anchors.add(new TrustAnchor(root, null));
          }
        }
      }
      return anchors;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime has no trusted root certificates", e);
    }
  }

  Result key(URI url, long nowMs) {
    synchronized (kept) {
      Kept known = kept.get(url);
      if (known != null && nowMs < known.untilMs) {
        return known.result;
      }
    }
    Result result = load(url, nowMs);
    Duration time =
        switch (result) {
          case Result.Trusted _ -> KEPT;
          case Result.Untrusted _ -> REFUSAL_KEPT;
          case Result.Unavailable _ -> FAILURE_KEPT;
        };
    keep(url, new Kept(result, nowMs + time.toMillis()));
    return result;
  }

  private void keep(URI url, Kept found) {
    synchronized (kept) {
      kept.put(url, found);
      if (kept.size() > MAX_KEPT) {
        kept.pollFirstEntry();
      }
    }
  }

  private Result load(URI url, long nowMs) {
    try {
      List<X509Certificate> chain = fetch(url, nowMs);
      if (chain.isEmpty()) {
        return new Result.Untrusted("the response of " + url + " does not contain a certificate");
      }
      X509Certificate leaf = chain.getFirst();
      if (names(leaf).stream().noneMatch(SnsUrls::isSubject)) {
        return new Result.Untrusted("the certificate was not issued for SNS");
      }
      addIssuers(chain, nowMs);
      String problem = problem(leaf, chain, nowMs);
      return problem == null
          ? new Result.Trusted(leaf.getPublicKey())
          : new Result.Untrusted(
              "the certificate has no valid chain to a trusted root: " + problem);
    } catch (IOException e) {
      return new Result.Unavailable("the certificate could not be fetched: " + e.getMessage());
    } catch (GeneralSecurityException e) {
      return new Result.Untrusted("the certificate cannot be parsed: " + e.getMessage());
    }
  }

  private List<X509Certificate> fetch(URI url, long nowMs)
      throws IOException, GeneralSecurityException {
    spend(nowMs);
    byte[] bytes = fetcher.fetch(url);
    if (bytes.length > CertificateFetcher.MAX_BYTES) {
      throw new IOException(
          "the response has more than " + CertificateFetcher.MAX_BYTES + " bytes: " + url);
    }
    List<X509Certificate> all = new ArrayList<>();
    for (var certificate :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(bytes))) {
      if (certificate instanceof X509Certificate x509) {
        all.add(x509);
      }
    }
    return all;
  }

  private void spend(long nowMs) throws IOException {
    long minute = Duration.ofMinutes(1).toMillis();
    if (fetches.acquire("fetches", nowMs, minute / MAX_FETCHES_PER_MINUTE, minute) > 0) {
      throw new IOException(
          "rate limit: more than "
              + MAX_FETCHES_PER_MINUTE
              + " certificates were requested within a minute");
    }
  }

  /** SNS serves only the leaf certificate; each certificate contains the URL of its issuer. */
  private void addIssuers(List<X509Certificate> chain, long nowMs)
      throws IOException, GeneralSecurityException {
    X509Certificate top = chain.getLast();
    for (int i = 0; i < MAX_ISSUERS && !issuedByAnchor(top); i++) {
      URI url = issuerUrl(top);
      List<X509Certificate> above = url == null ? List.of() : fetch(url, nowMs);
      if (above.isEmpty()) {
        return;
      }
      top = above.getFirst();
      chain.add(top);
    }
  }

  private boolean issuedByAnchor(X509Certificate certificate) {
    return anchors().stream()
        .map(TrustAnchor::getTrustedCert)
        .anyMatch(
            root ->
                root != null
                    && root.getSubjectX500Principal().equals(certificate.getIssuerX500Principal()));
  }

  private @Nullable String problem(X509Certificate leaf, List<X509Certificate> chain, long nowMs) {
    try {
      X509CertSelector target = new X509CertSelector();
      target.setCertificate(leaf);
      PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors(), target);
      parameters.setDate(Date.from(Instant.ofEpochMilli(nowMs)));
      parameters.setRevocationEnabled(false); // would access the network by itself
      parameters.setMaxPathLength(MAX_ISSUERS + 1);
      parameters.addCertStore(
          CertStore.getInstance("Collection", new CollectionCertStoreParameters(chain)));
      CertPathBuilder.getInstance("PKIX").build(parameters);
      return null;
    } catch (GeneralSecurityException e) {
      return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
  }

  private static List<String> names(X509Certificate certificate) throws GeneralSecurityException {
    List<String> names = new ArrayList<>();
    Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
    for (List<?> alternative : alternatives == null ? List.<List<?>>of() : alternatives) {
      if (Integer.valueOf(2).equals(alternative.get(0))) { // a DNS name
        names.add(String.valueOf(alternative.get(1)));
      }
    }
    String subject = certificate.getSubjectX500Principal().getName();
    for (String part : subject.split(",", 32)) {
      if (part.startsWith("CN=")) {
        names.add(part.substring(3));
      }
    }
    return names;
  }

  /** Only a hint where to look: the certificate found there must still pass path validation. */
  private static @Nullable URI issuerUrl(X509Certificate certificate) {
    byte[] extension = certificate.getExtensionValue(AUTHORITY_INFORMATION);
    if (extension == null) {
      return null;
    }
    int at = 0;
    while (at + CA_ISSUERS.length < extension.length) {
      int end = at + CA_ISSUERS.length;
      int length = extension[end] & 0xff; // longer ones than 127 do not occur
      if (Arrays.equals(extension, at, end, CA_ISSUERS, 0, CA_ISSUERS.length)
          && length < 128
          && end + 1 + length <= extension.length) {
        return SnsUrls.issuer(new String(extension, end + 1, length, StandardCharsets.US_ASCII));
      }
      at++;
    }
    return null;
  }
}
