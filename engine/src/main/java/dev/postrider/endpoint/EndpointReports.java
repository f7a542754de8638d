package dev.postrider.endpoint;

import dev.postrider.tenant.Application;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Notified of changed endpoints, within the transaction that changes them. */
public interface EndpointReports {
  EndpointReports NONE = (_, _, _, _) -> {};

  /** What happened, with what a reader wants to know about it. */
  sealed interface Change {
    record Created() implements Change {}

    record Updated() implements Change {}

    record Deleted() implements Change {}

    record Enabled() implements Change {}

    /**
     * @param automatic by the endpoint's own answers, not by a caller
     * @param failingSinceMs null if it has not been failing
     */
    record Disabled(boolean automatic, @Nullable Long failingSinceMs) implements Change {}

    record SecretRotated() implements Change {}

    record CircuitReset() implements Change {}
  }

  void changed(Handle handle, Application application, Endpoint endpoint, Change change);
}
