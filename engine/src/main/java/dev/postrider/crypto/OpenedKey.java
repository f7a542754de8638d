package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A decrypted data key.
 *
 * @param aead encrypts and decrypts secrets
 * @param tags key of {@link Keyring#tag}; derived, so that no tag says anything about a secret
 */
record OpenedKey(Aead aead, SecretKeySpec tags) {
  private static final String HMAC = "HmacSHA256";
  private static final byte[] TAGS = {'t', 'a', 'g', 's'};

  static OpenedKey of(byte[] dataKey, Aead aead) {
    byte[] derived = mac(new SecretKeySpec(dataKey, HMAC), TAGS);
    try {
      return new OpenedKey(aead, new SecretKeySpec(derived, HMAC));
    } finally {
      Arrays.fill(derived, (byte) 0);
    }
  }

  /** The length separates purpose and input, so that no two of them are the same bytes. */
  byte[] tag(byte[] purpose, byte[] input) {
    return mac(tags, new byte[] {(byte) purpose.length}, purpose, input);
  }

  private static byte[] mac(SecretKeySpec key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support HMAC-SHA256", e);
    }
  }
}
