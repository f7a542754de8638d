package dev.postrider.endpoint;

import dev.postrider.id.Id;

/** Notified of changed endpoints, after the commit. */
@FunctionalInterface
public interface EndpointListener {
  /** The kind of change of the endpoint. */
  enum Change {
    CREATED,
    UPDATED,
    ENABLED,
    DISABLED,
    DELETED,
    SECRET_ROTATED,
    PAUSED,
    RESUMED
  }

  void changed(Id applicationId, Id endpointId, Change change);
}
