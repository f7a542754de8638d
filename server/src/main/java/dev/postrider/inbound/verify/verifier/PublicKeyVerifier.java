package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.verifier.HmacScheme.Encoding;
import dev.postrider.signature.Ed25519PublicKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.List;

/**
 * Verifies providers that sign {@code timestamp + body} with a private key; the secret of the
 * source is the public key of the provider.
 */
public record PublicKeyVerifier(
    Kind kind, String signatureHeader, String timestampHeader, Freshness freshness)
    implements Verifier {

  public enum Kind {
    /** Key and signature in hex: Discord. */
    ED25519_HEX,
    /** Key as base64 of X.509, signature as base64 of DER: SendGrid. */
    ECDSA_P256_BASE64;

    Encoding encoding() {
      return this == ED25519_HEX ? Encoding.HEX : Encoding.BASE64;
    }
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    String header = request.header(signatureHeader);
    String timestamp = request.header(timestampHeader);
    if (header == null || timestamp == null) {
      return Verification.missing(header == null ? signatureHeader : timestampHeader);
    }
    Verification stale = freshness.check(timestampHeader, timestamp, nowMs);
    if (stale != null) {
      return stale;
    }
    byte[] signature = kind.encoding().decode(header);
    if (signature == null) {
      return Verification.malformed(signatureHeader + " is not " + kind.encoding());
    }
    byte[] head = timestamp.getBytes(StandardCharsets.UTF_8);
    for (SourceSecret key : secrets) {
      if (verifies(key, head, request.body(), signature)) {
        return new Verification.Valid(kind.name());
      }
    }
    return Verification.mismatch(signatureHeader);
  }

  private boolean verifies(SourceSecret key, byte[] head, byte[] body, byte[] signature) {
    return switch (kind) {
      case ED25519_HEX -> ed25519(key).verifies(head, body, signature);
      case ECDSA_P256_BASE64 -> ecdsa(ecKey(key), head, body, signature);
    };
  }

  private static boolean ecdsa(PublicKey key, byte[] head, byte[] body, byte[] signature) {
    try {
      Signature check = Signature.getInstance("SHA256withECDSA");
      check.initVerify(key);
      check.update(head);
      check.update(body);
      return check.verify(signature);
    } catch (SignatureException _) {
      return false; // not a signature at all
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot verify with SHA256withECDSA", e);
    }
  }

  private static Ed25519PublicKey ed25519(SourceSecret secret) {
    byte[] bytes = Encoding.HEX.decode(secret.text());
    if (bytes == null) {
      throw new IllegalArgumentException(
          "secret: must be the application's public key, 64 hex digits");
    }
    return Ed25519PublicKey.ofBytes(bytes);
  }

  private static PublicKey ecKey(SourceSecret secret) {
    byte[] bytes = Encoding.BASE64.decode(secret.text());
    try {
      if (bytes != null) {
        return KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(bytes));
      }
    } catch (GeneralSecurityException _) {
      // reported below, without quoting the key
    }
    throw new IllegalArgumentException(
        "secret: must be the verification key of the provider, an EC public key in base64");
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    switch (kind) {
      case ED25519_HEX -> ed25519(secret);
      case ECDSA_P256_BASE64 -> ecKey(secret);
    }
  }
}
