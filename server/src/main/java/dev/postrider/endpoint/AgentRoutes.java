package dev.postrider.endpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The live routes of one application, ready to be asked. */
public final class AgentRoutes {
  public static final AgentRoutes NONE = new AgentRoutes(List.of());

  private record Key(String source, String eventType) {}

  private record Prefixed(String source, Subscription pattern, AgentRoute route) {}

  private final Map<Key, AgentRoute> exact = new HashMap<>();
  private final List<Prefixed> patterns = new ArrayList<>();

  public AgentRoutes(List<AgentRoute> routes) {
    for (AgentRoute route : routes) {
      if (Subscription.parse(route.pattern()) instanceof Subscription.Exact only) {
        exact.put(new Key(route.source(), only.eventType()), route);
      } else {
        patterns.add(new Prefixed(route.source(), Subscription.parse(route.pattern()), route));
      }
    }
    // The longest pattern is the nearest to the event type.
    patterns.sort((a, b) -> b.pattern().text().length() - a.pattern().text().length());
  }

  public boolean isEmpty() {
    return exact.isEmpty() && patterns.isEmpty();
  }

  /** The route of a message: an exact one before a pattern, a longer pattern before a shorter. */
  public @Nullable AgentRoute of(String source, String eventType) {
    AgentRoute named = exact.get(new Key(source, eventType));
    if (named != null) {
      return named;
    }
    for (Prefixed prefixed : patterns) {
      if (prefixed.source().equals(source) && prefixed.pattern().matches(eventType)) {
        return prefixed.route();
      }
    }
    return null;
  }
}
