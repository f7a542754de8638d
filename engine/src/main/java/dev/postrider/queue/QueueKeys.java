package dev.postrider.queue;

import dev.postrider.json.TextRule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** The key of the consumers of a queue: shown once, then only its hash is stored. */
public final class QueueKeys {
  public static final String PREFIX = "qk_";
  public static final int MIN_LENGTH = 16;
  public static final int MAX_LENGTH = 256;
  public static final TextRule RULE = TextRule.of(MIN_LENGTH, MAX_LENGTH);
  private static final int RANDOM_BYTES = 32;

  private QueueKeys() {}

  public static String generate(SecureRandom random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static byte[] hash(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}
