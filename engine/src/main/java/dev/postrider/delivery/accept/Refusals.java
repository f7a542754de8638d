package dev.postrider.delivery.accept;

import dev.postrider.endpoint.Routing;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import org.jspecify.annotations.Nullable;

/** Checks whether an application allows a message, for a send and for a dry run. */
public final class Refusals {
  private Refusals() {}

  /** The first reason to reject it; null if there is none. */
  public static @Nullable AcceptResult of(Routing routing, NewMessage message) {
    if (!routing.active()) {
      return new AcceptResult.ApplicationInactive();
    }
    Integer most = routing.settings().maxPayloadBytes();
    return most != null && message.payload().length > most ? new AcceptResult.TooLarge(most) : null;
  }
}
