package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A data key as stored: encrypted with the master key of that id. */
@SuppressWarnings("ArrayRecordComponent") // compared by content below; nobody changes the bytes
public record WrappedDataKey(
    Id id, KeyScope scope, String masterKeyId, byte[] wrapped, long createdAtMs) {

  /** The same data key, encrypted with another master key. */
  WrappedDataKey wrappedBy(String otherMasterKeyId, byte[] otherWrapped) {
    return new WrappedDataKey(id, scope, otherMasterKeyId, otherWrapped, createdAtMs);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WrappedDataKey that
        && id.equals(that.id)
        && scope.equals(that.scope)
        && masterKeyId.equals(that.masterKeyId)
        && Arrays.equals(wrapped, that.wrapped)
        && createdAtMs == that.createdAtMs;
  }

  @Override
  public int hashCode() {
    return Objects.hash(id, scope, masterKeyId, Arrays.hashCode(wrapped), createdAtMs);
  }

  @Override
  public String toString() {
    return "WrappedDataKey[" + id + " of " + scope + " under " + masterKeyId + "]";
  }
}
