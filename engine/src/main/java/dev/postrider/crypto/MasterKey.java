package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.subtle.AesGcmJce;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Encrypts data keys and nothing else. Either 32 bytes in this process or a key in a KMS. */
public final class MasterKey {
  public static final int BYTES = 32;

  private static final int ID_HEX_DIGITS = 8;

  /**
   * The exception of the KMS clients for an invalid ciphertext, as opposed to an unreachable
   * service.
   */
  private static final Set<String> REFUSALS =
      Set.of("AEADBadTagException", "InvalidCiphertextException", "IncorrectKeyException");

  private static final int MAX_CAUSES = 16;

  private final String id;
  private final String source;
  private final Aead aead;
  private final boolean remote;

  private MasterKey(String id, String source, Aead aead, boolean remote) {
    this.id = id;
    this.source = source;
    this.aead = aead;
    this.remote = remote;
  }

  /** The base64 of 32 bytes, as in the setting that {@code source} names. */
  public static MasterKey ofText(String base64, String source) {
    byte[] key;
    try {
      key = Base64.getDecoder().decode(base64.strip());
    } catch (IllegalArgumentException _) {
      key = new byte[0]; // the decoder's message would quote a character of the key
    }
    if (key.length != BYTES) {
      throw new IllegalArgumentException(
          source
              + ": must be the base64 encoding of exactly 32 bytes; create one with: openssl rand"
              + " -base64 32");
    }
    return ofBytes(key, source);
  }

  public static MasterKey generate(SecureRandom random, String source) {
    return ofBytes(randomBytes(random), source);
  }

  /** A key that stays in the KMS; the URI identifies it, the Aead calls the service. */
  public static MasterKey ofKms(String uri, Aead aead) {
    return new MasterKey(shortHash(uri.getBytes(StandardCharsets.UTF_8)), uri, aead, true);
  }

  static MasterKey ofBytes(byte[] key, String source) {
    try {
      return new MasterKey(idOf(key), source, new AesGcmJce(key), false);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support AES-256-GCM", e);
    }
  }

  static byte[] randomBytes(SecureRandom random) {
    byte[] key = new byte[BYTES];
    random.nextBytes(key);
    return key;
  }

  /** Eight hex digits that identify a master key without revealing anything about it. */
  public String id() {
    return id;
  }

  byte[] wrap(byte[] dataKey, byte[] context) {
    try {
      return aead.encrypt(dataKey, context);
    } catch (GeneralSecurityException | RuntimeException e) {
      throw failure(e);
    }
  }

  byte[] unwrap(byte[] wrapped, byte[] context) {
    try {
      return aead.decrypt(wrapped, context);
    } catch (GeneralSecurityException | RuntimeException e) {
      throw failure(e);
    }
  }

  /**
   * A KMS error other than "wrong ciphertext" (timeout, throttling, missing permission) is
   * temporary.
   */
  private RuntimeException failure(Exception e) {
    return remote && !isRefusal(e)
        ? MasterKeyUnavailable.kmsUnavailable(source, e)
        : new SecretUnreadable(
            SecretUnreadable.Reason.NOT_AUTHENTIC,
            "a data key cannot be decrypted with master key "
                + id
                + ": its row was changed or moved; restore the row from a backup",
            e);
  }

  private static boolean isRefusal(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (REFUSALS.contains(cause.getClass().getSimpleName())) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * A hash of a value derived from the key with its own label, so that the id does not help to
   * guess keys used elsewhere.
   */
  private static String idOf(byte[] key) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return shortHash(mac.doFinal("postrider master key id".getBytes(StandardCharsets.UTF_8)));
  }

  private static String shortHash(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash).substring(0, ID_HEX_DIGITS);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MasterKey that && id.equals(that.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "MasterKey[" + id + " from " + source + "]";
  }
}
