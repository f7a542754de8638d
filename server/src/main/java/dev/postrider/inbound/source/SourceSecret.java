package dev.postrider.inbound.source;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** What a source checks requests with: a shared secret, or a provider's public key. Never shown. */
public final class SourceSecret {
  private final byte[] bytes;

  private SourceSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A text as the owner typed it; blanks around it are a slip of the clipboard. */
  public static SourceSecret of(String text) {
    return ofBytes(text.strip().getBytes(StandardCharsets.UTF_8));
  }

  public static SourceSecret ofBytes(byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException(
          "secret: is empty, and an empty secret proves nothing; give the provider's secret");
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

  /** One for all: a hash would tell something about the secret, and none is ever a map's key. */
  @Override
  public int hashCode() {
    return 1;
  }

  @Override
  public String toString() {
    return "SourceSecret";
  }
}
