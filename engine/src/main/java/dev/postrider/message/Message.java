package dev.postrider.message;

import dev.postrider.id.MessageId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An accepted message as it is stored.
 *
 * @param contentType null means JSON
 * @param payload null if it was not requested, has expired or was expunged
 * @param deliverAt the requested delivery time; null means now
 * @param maxRetries to how many retries the retry schedule is cut; null means that it is not
 * @param headers of the received request, as a JSON object; null if there are none, or as the
 *     payload
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record Message(
    MessageId id,
    String eventType,
    @Nullable String eventId,
    List<String> channels,
    List<String> tags,
    @Nullable String contentType,
    byte @Nullable [] payload,
    @Nullable Instant deliverAt,
    @Nullable Integer maxRetries,
    @Nullable String headers) {}
