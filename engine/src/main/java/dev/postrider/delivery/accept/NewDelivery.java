package dev.postrider.delivery.accept;

import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.shape.Shaping;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.RouteTarget;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is inserted with its message: leased at insert, or pending.
 *
 * @param target the endpoint or queue that gets it
 * @param plain nothing is to be fixed before the first attempt, so that it needs no row to be sent
 * @param lane set with leaseUntilMs
 * @param leaseUntilMs set if the delivery is leased to this instance at insert
 * @param nextAttemptAtMs set if it is pending
 * @param delayMs delay of the first attempt after its creation, 0 for none
 * @param route its agent route, if there is one
 * @param expiresAtMs the latest start of its first attempt; null if it has no event TTL
 */
record NewDelivery(
    Id id,
    RouteTarget target,
    boolean plain,
    @Nullable Lane lane,
    @Nullable Long leaseUntilMs,
    @Nullable Long nextAttemptAtMs,
    int delayMs,
    @Nullable RoutedTo route,
    @Nullable Long expiresAtMs) {
  Id laneId() {
    return target.endpointId();
  }

  int endpointVersion() {
    return target.version();
  }

  /** Whether its position in the order of the lane is assigned in the accept transaction. */
  boolean ordered() {
    return target.lane().ordered();
  }

  /** Whether it is for a queue. */
  boolean pulled() {
    return target.pulled();
  }

  boolean isDue(long nowMs) {
    return nextAttemptAtMs != null && nextAttemptAtMs <= nowMs;
  }

  boolean leased() {
    return leaseUntilMs != null;
  }

  /** Whether it gets no row: its message names its lane, and the lease batch the lease. */
  boolean rowless() {
    return plain && leased();
  }

  NewDelivery leased(Lane in, long untilMs) {
    return new NewDelivery(id, target, plain, in, untilMs, null, delayMs, route, expiresAtMs);
  }

  /**
   * The agent route of a delivery.
   *
   * @param sessionId null if an expression determines it; it is evaluated before the first attempt
   */
  record RoutedTo(Id routeId, @Nullable String sessionId) {

    static RoutedTo of(AgentRoute route, NewMessage message) {
      if (route.instructions().sessionExpression() != null) {
        return new RoutedTo(route.id().value(), null);
      }
      String byHeader = Shaping.sessionOf(route, message.headers());
      return new RoutedTo(
          route.id().value(), byHeader == null ? route.instructions().targetSession() : byHeader);
    }
  }
}
