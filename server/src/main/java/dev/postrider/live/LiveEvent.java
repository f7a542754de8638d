package dev.postrider.live;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * An event of the live feed.
 *
 * @param kind a word, such as {@code dead_letter}
 * @param data a JSON object
 */
public record LiveEvent(
    Id id,
    String environmentId,
    Id applicationId,
    @Nullable String sessionId,
    String kind,
    String data) {}
