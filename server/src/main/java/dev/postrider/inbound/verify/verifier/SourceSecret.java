package dev.postrider.inbound.verify.verifier;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The secret with which a source verifies requests: a shared secret, or a public key of a provider.
 * Never shown.
 */
public final class SourceSecret {
  private final byte[] bytes;

  private SourceSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A text as entered; surrounding blanks come from copy and paste. */
  public static SourceSecret of(String text) {
    return ofBytes(text.strip().getBytes(StandardCharsets.UTF_8));
  }

  public static SourceSecret ofBytes(byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException(
          "secret: must not be empty, because an empty secret does not authenticate the sender;"
              + " use the secret of the provider");
    }
    return new SourceSecret(bytes.clone());
  }

  public byte[] bytes() {
    return bytes;
  }

  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SourceSecret that && MessageDigest.isEqual(bytes, that.bytes);
  }

  /**
   * The same for all: a hash of the secret would leak information, and secrets are never map keys.
   */
  @Override
  public int hashCode() {
    return 1;
  }

  @Override
  public String toString() {
    return "SourceSecret";
  }
}
