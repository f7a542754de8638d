package dev.postrider.message;

import dev.postrider.id.Id;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An accepted message as it is stored.
 *
 * @param contentType null means JSON
 * @param payload null if it was not asked for, has expired or was expunged
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record Message(
    Id id,
    String eventType,
    @Nullable String eventId,
    List<String> channels,
    List<String> tags,
    @Nullable String contentType,
    byte @Nullable [] payload) {}
