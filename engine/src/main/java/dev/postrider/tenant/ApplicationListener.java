package dev.postrider.tenant;

import dev.postrider.id.Id;
import java.util.List;

/** Notified of changed applications, after the commit. */
@FunctionalInterface
public interface ApplicationListener {
  /** The kind of change of the application. */
  enum Change {
    CREATED,
    UPDATED,
    DEACTIVATED,
    ACTIVATED,
    DELETED
  }

  /**
   * @param deletedEndpoints the endpoints that were deleted with the application
   */
  void changed(Id applicationId, Change change, List<Id> deletedEndpoints);
}
