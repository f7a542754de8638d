package dev.postrider.inbound.verify.verifier;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Public keys written as PEM: {@code PUBLIC KEY} or {@code CERTIFICATE}. */
final class PemKeys {
  private static final String BEGIN = "-----BEGIN PUBLIC KEY-----";
  private static final String END = "-----END PUBLIC KEY-----";

  private PemKeys() {}

  static PublicKey publicKey(String pem) {
    try {
      if (pem.startsWith("-----BEGIN CERTIFICATE-----")) {
        return CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))
            .getPublicKey();
      }
      int end = pem.indexOf(END);
      if (pem.startsWith(BEGIN) && end > 0) {
        return key(Base64.getMimeDecoder().decode(pem.substring(BEGIN.length(), end)));
      }
    } catch (GeneralSecurityException | IllegalArgumentException _) {
      // reported below, without quoting the key
    }
    throw new IllegalArgumentException(
        "secret: must be a PEM public key (-----BEGIN PUBLIC KEY-----) or certificate, RSA or EC");
  }

  private static PublicKey key(byte[] x509) throws GeneralSecurityException {
    GeneralSecurityException last = new GeneralSecurityException("unsupported algorithm");
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(x509));
      } catch (GeneralSecurityException e) {
        last = e;
      }
    }
    throw last;
  }
}
