package dev.postrider.endpoint;

import dev.postrider.tenant.Application;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Notified of changed endpoints, within the transaction that changes them. */
public interface EndpointReports {
  EndpointReports NONE = (_, _, _, _) -> {};

  /** The kind of change of the endpoint, with the details that operational webhooks report. */
  sealed interface Change {
    record Created() implements Change {}

    record Updated() implements Change {}

    record Deleted() implements Change {}

    record Enabled() implements Change {}

    /**
     * The endpoint was disabled.
     *
     * @param automatic whether Postrider disabled it because of its responses; false if a caller
     *     did
     * @param failingSinceMs null if it has not been failing
     */
    record Disabled(boolean automatic, @Nullable Long failingSinceMs) implements Change {}

    record SecretRotated() implements Change {}

    record CircuitReset() implements Change {}
  }

  void changed(Handle handle, Application application, Endpoint endpoint, Change change);
}
