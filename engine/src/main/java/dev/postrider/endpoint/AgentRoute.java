package dev.postrider.endpoint;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.RouteId;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An agent route: the instructions of an agent for the messages of one source and event type.
 *
 * @param pattern an event type, a prefix such as {@code pull_request.*}, or {@code *}
 * @param endpointId the endpoint of the route; null for all endpoints of the application
 * @param url where the endpoint sends to, if it is the route's own; null for any other
 */
public record AgentRoute(
    RouteId id,
    ApplicationId applicationId,
    String source,
    String pattern,
    Instructions instructions,
    @Nullable EndpointId endpointId,
    @Nullable String url,
    Instant createdAt,
    Instant updatedAt) {

  /**
   * The fields of an agent route that callers set: the data for the agent, and the retry schedule.
   *
   * @param targetSession the agent that handles the event
   * @param sessionExpression gives the session id; null if a header or the target session does
   * @param sessionHeader the message's header with the session id
   * @param annotations additional data in the delivery
   */
  public record Instructions(
      String agentIntent,
      @Nullable String targetSession,
      @Nullable String sessionExpression,
      @Nullable String sessionHeader,
      Map<String, String> annotations,
      Profile profile) {}

  /** The retry profile of a routed delivery. */
  public enum Profile {
    /** At once, and then by the schedule of the endpoint. */
    STANDARD,
    /** First after 30 s, then on the schedule for agents. */
    AGENT;

    /** Delay of the first attempt in the agent profile. */
    public static final int AGENT_DELAY_MS = 30_000;

    /** Delays between the attempts in the agent profile. */
    public static final String AGENT_SCHEDULE = "30s,2m,10m,1h,6h";

    /** As stored. */
    int code() {
      return this == AGENT ? 1 : 0;
    }

    public static Profile of(int code) {
      return code == 1 ? AGENT : STANDARD;
    }

    public String text() {
      return this == AGENT ? "agent" : "standard";
    }
  }

  /** The endpoints of a route. */
  public sealed interface Target {
    Target ALL = new AllEndpoints();

    /** The route applies to every endpoint and queue of the application. */
    record AllEndpoints() implements Target {}

    /**
     * The route applies to one endpoint of the application.
     *
     * @param idOrUid as a caller names it
     */
    record OneEndpoint(String idOrUid) implements Target {}

    /** An endpoint that is created for the route, changes with it and is deleted with it. */
    record OwnEndpoint(String url) implements Target {}
  }

  /** The fields of a route that callers set. */
  public record Spec(String source, String pattern, Instructions instructions, Target target) {
    public Spec withTarget(Target other) {
      return new Spec(source, pattern, instructions, other);
    }
  }

  public Target target() {
    if (url != null) {
      return new Target.OwnEndpoint(url);
    }
    return endpointId == null ? Target.ALL : new Target.OneEndpoint(endpointId.text());
  }

  public Spec spec() {
    return new Spec(source, pattern, instructions, target());
  }
}
