package dev.postrider.tenant.key;

import dev.postrider.id.Id;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A token that a caller presents, with its hash, which is computed when it is first needed. It is
 * used by one thread.
 */
public final class ApiToken {
  private final String text;
  private byte @Nullable [] hash;
  private @Nullable Id slot;

  private ApiToken(String text) {
    this.text = text;
  }

  public static ApiToken of(String text) {
    return new ApiToken(text);
  }

  public String text() {
    return text;
  }

  byte[] hash() {
    byte[] known = hash;
    if (known == null) {
      known = ApiKeyText.hash(text);
      hash = known;
    }
    return known;
  }

  /** The place of the key in the cache: the first half of the hash. */
  Id slot() {
    Id known = slot;
    if (known == null) {
      known = Id.ofBytes(Arrays.copyOf(hash(), 16));
      slot = known;
    }
    return known;
  }
}
