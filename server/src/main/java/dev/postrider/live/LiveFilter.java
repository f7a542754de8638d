package dev.postrider.live;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/** Decides which events a client of the live feed receives; a null field matches all. */
public record LiveFilter(
    String environmentId, @Nullable Id applicationId, @Nullable String sessionId) {
  boolean takes(LiveEvent event) {
    return event.environmentId().equals(environmentId)
        && (applicationId == null || applicationId.equals(event.applicationId()))
        && (sessionId == null || sessionId.equals(event.sessionId()));
  }
}
