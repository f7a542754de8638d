package dev.postrider.live;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/** The filter of a client; null means all. */
public record LiveFilter(
    String environmentId, @Nullable Id applicationId, @Nullable String sessionId) {
  boolean takes(LiveEvent event) {
    return event.environmentId().equals(environmentId)
        && (applicationId == null || applicationId.equals(event.applicationId()))
        && (sessionId == null || sessionId.equals(event.sessionId()));
  }
}
