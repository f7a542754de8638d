package dev.postrider.inbound;

import dev.postrider.id.Id;
import dev.postrider.storage.BatchQueue;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rejected request to a source, as stored.
 *
 * @param headers without those that carry secrets
 * @param body the first bytes; null if it was not read
 * @param bodyBytes length of the body as received or announced; -1 if unknown
 */
@SuppressWarnings("ArrayRecordComponent") // carried to its row, never compared
public record RejectedRequest(
    Id id,
    String environmentId,
    Id sourceId,
    Id applicationId,
    String source,
    Refusal refusal,
    String method,
    String address,
    Map<String, String> headers,
    byte @Nullable [] body,
    long bodyBytes)
    implements BatchQueue.Sized {

  /**
   * Why it was rejected.
   *
   * @param reason a word, such as {@code mismatch}
   * @param detail for the source's owner
   */
  public record Refusal(int status, String reason, String detail) {}

  @Override
  public int sizeInBytes() {
    return body == null ? 0 : body.length;
  }

  /** Null if the request was rejected for another reason. */
  public @Nullable SignatureStatus signature() {
    return SignatureStatus.ofRejected(refusal.status(), refusal.reason());
  }

  /** Whether the verification failed. */
  public boolean unverified() {
    return refusal.status() == 401;
  }
}
