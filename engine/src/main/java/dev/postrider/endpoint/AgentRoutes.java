package dev.postrider.endpoint;

import dev.postrider.id.EndpointId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The active agent routes of one application, indexed. Finding the route of a message takes one
 * hash lookup, and one more for each dot in its event type, for any number of routes; the same
 * again for each endpoint that has its own routes.
 */
public final class AgentRoutes {
  public static final AgentRoutes NONE = new AgentRoutes(List.of());

  /**
   * The key of the index: a route is unique by endpoint, source and event type pattern.
   *
   * @param endpointId null for a route of all endpoints
   */
  private record Key(@Nullable EndpointId endpointId, String source, String pattern) {}

  private final Map<Key, AgentRoute> routes = new HashMap<>();
  private final Set<EndpointId> bound = new HashSet<>();

  public AgentRoutes(List<AgentRoute> routes) {
    for (AgentRoute route : routes) {
      this.routes.put(new Key(route.endpointId(), route.source(), route.pattern()), route);
      if (route.endpointId() != null) {
        bound.add(route.endpointId());
      }
    }
  }

  /** The routes of the messages of one source and type. */
  public OfMessage of(@Nullable String source, String eventType) {
    return source == null || routes.isEmpty()
        ? OfMessage.NONE
        : new OfMessage(this, source, nearestFirst(eventType));
  }

  /** The event type itself, then the patterns that match it, the longest first. */
  private static List<String> nearestFirst(String eventType) {
    List<String> texts = new ArrayList<>(Subscription.textsMatching(eventType));
    texts.remove(eventType);
    List<String> nearest = new ArrayList<>(texts.size() + 1);
    nearest.add(eventType);
    nearest.addAll(texts.reversed());
    return nearest;
  }

  private @Nullable AgentRoute nearest(
      @Nullable EndpointId endpointId, String source, List<String> patterns) {
    for (String pattern : patterns) {
      AgentRoute route = routes.get(new Key(endpointId, source, pattern));
      if (route != null) {
        return route;
      }
    }
    return null;
  }

  /** Finds the agent route of one message for each endpoint that receives it. */
  public static final class OfMessage {
    static final OfMessage NONE = new OfMessage(AgentRoutes.NONE, "", List.of());

    private final AgentRoutes routes;
    private final String source;
    private final List<String> patterns;
    private final @Nullable AgentRoute forAll;

    private OfMessage(AgentRoutes routes, String source, List<String> patterns) {
      this.routes = routes;
      this.source = source;
      this.patterns = patterns;
      this.forAll = routes.nearest(null, source, patterns);
    }

    /** The route of all endpoints that have none of their own; null if there is none. */
    public @Nullable AgentRoute forAll() {
      return forAll;
    }

    /**
     * The route of the delivery to this endpoint: one that is bound to it before one of all
     * endpoints, an exact one before a pattern, a longer pattern before a shorter. Null if there is
     * none.
     */
    public @Nullable AgentRoute to(EndpointId endpointId) {
      AgentRoute own =
          routes.bound.contains(endpointId) ? routes.nearest(endpointId, source, patterns) : null;
      return own == null ? forAll : own;
    }
  }
}
