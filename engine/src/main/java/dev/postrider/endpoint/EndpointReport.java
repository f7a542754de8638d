package dev.postrider.endpoint;

import dev.postrider.event.Event;
import dev.postrider.tenant.Application;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The event that is published within the transaction of a change of an endpoint, with the data for
 * operational webhooks. {@link EndpointChanged} follows after the commit.
 */
public record EndpointReport(Application application, Endpoint endpoint, Change change)
    implements Event {
  /** The kind of change of the endpoint, with the details that operational webhooks report. */
  public sealed interface Change {
    record Created() implements Change {}

    record Updated() implements Change {}

    record Deleted() implements Change {}

    record Enabled() implements Change {}

    /**
     * The endpoint was disabled.
     *
     * @param automatic whether Postrider disabled it because of its responses; false if a caller
     *     did
     * @param failingSince null if it has not been failing
     */
    record Disabled(boolean automatic, @Nullable Instant failingSince) implements Change {}

    record SecretRotated() implements Change {}

    record CircuitReset() implements Change {}
  }
}
