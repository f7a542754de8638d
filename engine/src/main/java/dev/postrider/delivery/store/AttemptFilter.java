package dev.postrider.delivery.store;

import dev.postrider.id.Id;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which attempts a list shows; what is null or empty does not narrow it.
 *
 * @param succeeded only those that did, or only those that did not
 * @param statusCodeClass 200 means 200 to 299; 0 means no answer
 */
public record AttemptFilter(
    @Nullable Id messageId,
    @Nullable Id laneId,
    @Nullable Boolean succeeded,
    @Nullable Integer statusCodeClass,
    @Nullable String channel,
    @Nullable String tag,
    List<String> eventTypes,
    @Nullable Long beforeMs,
    @Nullable Long afterMs) {

  boolean needsMessages() {
    return channel != null || tag != null || !eventTypes.isEmpty();
  }
}
