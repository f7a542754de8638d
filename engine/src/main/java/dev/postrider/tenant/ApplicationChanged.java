package dev.postrider.tenant;

import dev.postrider.event.SharedEvent;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import java.util.List;

/**
 * An application was changed; published after the commit.
 *
 * @param deletedEndpoints the endpoints that were deleted with the application
 */
public record ApplicationChanged(
    ApplicationId applicationId, Change change, List<EndpointId> deletedEndpoints)
    implements SharedEvent {
  /** What happened to the application. */
  public enum Change {
    CREATED,
    UPDATED,
    DEACTIVATED,
    ACTIVATED,
    DELETED
  }
}
