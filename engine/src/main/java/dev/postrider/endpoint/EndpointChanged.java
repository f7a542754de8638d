package dev.postrider.endpoint;

import dev.postrider.event.Event;
import dev.postrider.id.Id;

/** An endpoint was changed; published after the commit. */
public record EndpointChanged(Id applicationId, Id endpointId, Change change) implements Event {
  /** The kind of change of the endpoint. */
  public enum Change {
    CREATED,
    UPDATED,
    ENABLED,
    DISABLED,
    DELETED,
    SECRET_ROTATED,
    PAUSED,
    RESUMED
  }
}
