package dev.postrider.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a message list; null or empty fields do not filter.
 *
 * @param beforeMs accepted before this time
 * @param afterMs accepted at this time or later
 */
public record MessageFilter(
    @Nullable String channel,
    @Nullable String tag,
    List<String> eventTypes,
    @Nullable Long beforeMs,
    @Nullable Long afterMs) {
  public static final MessageFilter ALL = new MessageFilter(null, null, List.of(), null, null);

  public boolean narrowsContent() {
    return channel != null || tag != null || !eventTypes.isEmpty();
  }
}
