package dev.postrider.inbound;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceToken;
import dev.postrider.message.NewMessage.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * A request to a source whose caller has an API key. The key authenticates the request, so nothing
 * is verified, and its path has the event type.
 *
 * @param environmentId of the API key
 * @param applicationId of the API key; null if it is valid for the whole environment
 * @param source name, id or secret token of the source, as in the path
 */
public record KeyedEvent(
    String environmentId,
    @Nullable ApplicationId applicationId,
    String source,
    String eventType,
    KeyOfBody idempotencyKey) {

  /** The idempotency key of the caller, with the body that it belongs to. */
  @FunctionalInterface
  public interface KeyOfBody {
    /** Null if the caller gave none. */
    @Nullable IdempotencyKey of(byte[] body);
  }

  /** Under which the source cache has the source. */
  String cacheKey() {
    boolean anywhere =
        source.startsWith(IdKind.SOURCE.prefix()) || source.startsWith(SourceToken.PREFIX);
    return anywhere ? source : environmentId + "/" + source;
  }

  /** Whether the API key of the caller may send to that source. */
  boolean maySendTo(Source found) {
    return found.environmentId().equals(environmentId)
        && (applicationId == null || applicationId.value().equals(found.applicationId()));
  }
}
