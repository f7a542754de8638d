package dev.postrider.tenant;

import dev.postrider.event.SharedEvent;
import dev.postrider.id.Id;
import java.util.List;

/**
 * An application was changed; published after the commit.
 *
 * @param deletedEndpoints the endpoints that were deleted with the application
 */
public record ApplicationChanged(Id applicationId, Change change, List<Id> deletedEndpoints)
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
