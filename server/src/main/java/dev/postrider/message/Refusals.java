package dev.postrider.message;

import dev.postrider.endpoint.Routing;
import org.jspecify.annotations.Nullable;

/** What an application says against a message, whether it is to be sent or only tried out. */
public final class Refusals {
  private Refusals() {}

  /** The first reason to refuse it; null if there is none. */
  public static @Nullable AcceptResult of(Routing routing, NewMessage message) {
    if (!routing.active()) {
      return new AcceptResult.ApplicationInactive();
    }
    Integer most = routing.settings().maxPayloadBytes();
    if (most != null && message.payload().length > most) {
      return new AcceptResult.TooLarge(most);
    }
    return message.deliverAtMs() != null && anyOrdered(routing, message)
        ? new AcceptResult.Invalid(
            "deliverAt: an ordered endpoint takes messages in the order of acceptance; leave deliverAt out")
        : null;
  }

  private static boolean anyOrdered(Routing routing, NewMessage message) {
    return routing.exits().stream()
        .anyMatch(exit -> exit.ordered() && exit.takes(message.eventType(), message.channels()));
  }
}
