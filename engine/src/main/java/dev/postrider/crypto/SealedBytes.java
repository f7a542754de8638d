package dev.postrider.crypto;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a secret: one byte of format version, sixteen of data key id, with a data key
 * of an application sixteen of its id, then nonce, ciphertext and tag. So the bytes name their key,
 * whichever key new secrets are encrypted with.
 */
final class SealedBytes {
  /** The data key is one of the environment. */
  static final byte OF_ENVIRONMENT = 1;

  /** The data key is one of the application whose id follows. */
  static final byte OF_APPLICATION = 2;

  private static final int ID_BYTES = 16;

  /** A nonce of 12 and a tag of 16 are there even for an empty secret. */
  private static final int MIN_CIPHERTEXT_BYTES = 12 + 16;

  private SealedBytes() {}

  /**
   * Which key a secret is encrypted with.
   *
   * @param applicationId null for a key of the environment
   */
  record Head(Id dataKey, @Nullable Id applicationId) {
    int bytes() {
      return length(applicationId);
    }

    KeyScope scope(String environmentId) {
      return new KeyScope(environmentId, ApplicationId.orNull(applicationId));
    }
  }

  private static int length(@Nullable Id applicationId) {
    return 1 + ID_BYTES + (applicationId == null ? 0 : ID_BYTES);
  }

  static byte[] join(Id dataKey, @Nullable Id applicationId, byte[] ciphertext) {
    return ByteBuffer.allocate(length(applicationId) + ciphertext.length)
        .put(head(dataKey, applicationId))
        .put(ciphertext)
        .array();
  }

  private static byte[] head(Id dataKey, @Nullable Id applicationId) {
    ByteBuffer head = ByteBuffer.allocate(length(applicationId));
    head.put(applicationId == null ? OF_ENVIRONMENT : OF_APPLICATION).put(dataKey.bytes());
    if (applicationId != null) {
      head.put(applicationId.bytes());
    }
    return head.array();
  }

  static Head head(byte[] sealed) {
    Id application = null;
    boolean known = sealed.length >= length(null) + MIN_CIPHERTEXT_BYTES;
    if (known && sealed[0] == OF_APPLICATION) {
      application = Id.at(sealed, 1 + ID_BYTES);
      known = sealed.length >= length(application) + MIN_CIPHERTEXT_BYTES;
    } else if (known) {
      known = sealed[0] == OF_ENVIRONMENT;
    }
    if (!known) {
      throw new SecretUnreadable(
          SecretUnreadable.Reason.UNKNOWN_FORMAT,
          "a stored secret has an unknown format, written by another version of Postrider;"
              + " upgrade, or set the secret again",
          null);
    }
    return new Head(Id.at(sealed, 1), application);
  }

  static byte[] ciphertext(byte[] sealed, Head head) {
    return Arrays.copyOfRange(sealed, head.bytes(), sealed.length);
  }

  /** Everything that the ciphertext is bound to; the length separates environment and context. */
  static byte[] boundTo(Id dataKey, KeyScope scope, byte[] context) {
    byte[] head = head(dataKey, scope.owner());
    byte[] environment = scope.environmentId().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(head.length + 4 + environment.length + context.length)
        .put(head)
        .putInt(environment.length)
        .put(environment)
        .put(context)
        .array();
  }
}
