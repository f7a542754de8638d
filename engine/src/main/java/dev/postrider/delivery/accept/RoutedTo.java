package dev.postrider.delivery.accept;

import dev.postrider.delivery.shape.Shaping;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage;
import org.jspecify.annotations.Nullable;

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
