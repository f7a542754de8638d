package dev.postrider.api.endpoint;

import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentStore;
import org.jspecify.annotations.Nullable;

/** Checks the event types that an endpoint subscribes to: with strictEventTypes they must exist. */
public interface SubscribableTypes {
  /** For endpoints with event types of the server itself. */
  SubscribableTypes ALL = (_, _) -> null;

  /** The problem with the name; null if there is none. */
  @Nullable String problem(Application application, String name);

  static SubscribableTypes of(EnvironmentStore environments, EventTypeStore types) {
    return (application, name) -> {
      Environment environment = environments.find(application.environmentId());
      boolean strict = environment != null && environment.spec().settings().strictEventTypes();
      EventType.Owner owner = new EventType.Owner(application.environmentId(), application.id());
      return strict && types.findInEffect(owner, name) == null
          ? "\"%s\" is not a known event type and strictEventTypes is on; create it with POST /api/v1/event-type first"
              .formatted(name)
          : null;
    };
  }
}
