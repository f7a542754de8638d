package dev.postrider.endpoint;

import dev.postrider.event.SharedEvent;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;

/** The event that is published after the commit of a change of an endpoint. */
public record EndpointChanged(ApplicationId applicationId, EndpointId endpointId, Change change)
    implements SharedEvent {
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
