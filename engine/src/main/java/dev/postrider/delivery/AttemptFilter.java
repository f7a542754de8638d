package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filter of an attempt list; null or empty fields do not filter.
 *
 * @param succeeded only successful ones, or only failed ones
 * @param statusCodeClass 200 means 200 to 299; 0 means no response
 */
public record AttemptFilter(
    @Nullable MessageId messageId,
    @Nullable Id laneId,
    @Nullable Boolean succeeded,
    @Nullable Integer statusCodeClass,
    @Nullable String channel,
    @Nullable String tag,
    List<String> eventTypes,
    @Nullable Instant before,
    @Nullable Instant after) {

  public boolean needsMessages() {
    return channel != null || tag != null || !eventTypes.isEmpty();
  }
}
