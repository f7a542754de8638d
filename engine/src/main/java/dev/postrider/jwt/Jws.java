package dev.postrider.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signature of a JSON Web Token. Only this class uses the JWT library, so that the
 * library is loaded with the first token and not at the start of the server.
 */
final class Jws {
  /**
   * The library refuses secrets that are shorter than the hash; Svix's open server and some
   * providers use such. HMAC itself fills a key with zeros up to the block of the hash, which is at
   * least as long for all our algorithms, so a filled secret gives the same signature.
   */
  private static final int MIN_SECRET_BYTES = 64;

  private final JWSObject token;

  private Jws(JWSObject token) {
    this.token = token;
  }

  /** Null if the header is not that of a signed token, or there is no signature. */
  static @Nullable Jws parse(String text) {
    try {
      return new Jws(JWSObject.parse(text));
    } catch (ParseException | IllegalArgumentException _) {
      return null;
    }
  }

  /**
   * @param secret not empty: filled with zeros it would be a secret that everybody knows
   */
  boolean isSignedWith(byte[] secret) {
    byte[] filled = Arrays.copyOf(secret, Math.max(MIN_SECRET_BYTES, secret.length));
    try {
      return verify(new MACVerifier(filled));
    } catch (JOSEException e) {
      throw cannotCheck(e);
    }
  }

  boolean isSignedWith(PublicKey key) {
    try {
      return switch (key) {
        case RSAPublicKey rsa -> verify(new RSASSAVerifier(rsa));
        case ECPublicKey elliptic -> verify(new ECDSAVerifier(elliptic));
        default -> false;
      };
    } catch (JOSEException e) {
      throw cannotCheck(e);
    }
  }

  /** False if the key is not one for the algorithm: another kind, or another curve. */
  private boolean verify(JWSVerifier verifier) throws JOSEException {
    return verifier.supportedJWSAlgorithms().contains(token.getHeader().getAlgorithm())
        && token.verify(verifier);
  }

  private IllegalStateException cannotCheck(JOSEException fault) {
    return new IllegalStateException(
        "cannot check a signature with " + token.getHeader().getAlgorithm(), fault);
  }
}
