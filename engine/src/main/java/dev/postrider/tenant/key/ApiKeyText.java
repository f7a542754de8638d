package dev.postrider.tenant.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** The text of an API key: generated once, shown once, then only its hash is stored. */
final class ApiKeyText {
  static final String PREFIX = "sk_";
  static final int RANDOM_BYTES = 32;
  static final int SHOWN_CHARACTERS = 8;

  private ApiKeyText() {}

  static String generate(SecureRandom random) {
    return generate(PREFIX, random);
  }

  static String generate(String prefix, SecureRandom random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }

  /** The part that may be shown: enough to distinguish keys, at most a quarter of a short one. */
  static String shown(String token) {
    return token.substring(0, Math.min(SHOWN_CHARACTERS, token.length() / 4));
  }
}
