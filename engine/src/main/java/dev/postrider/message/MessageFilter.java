package dev.postrider.message;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a message list; null or empty fields do not filter.
 *
 * @param before accepted before this time
 * @param after accepted at this time or later
 */
public record MessageFilter(
    @Nullable String channel,
    @Nullable String tag,
    List<String> eventTypes,
    @Nullable Instant before,
    @Nullable Instant after) {
  public static final MessageFilter ALL = new MessageFilter(null, null, List.of(), null, null);

  public boolean narrowsContent() {
    return channel != null || tag != null || !eventTypes.isEmpty();
  }
}
