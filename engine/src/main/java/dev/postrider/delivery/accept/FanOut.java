package dev.postrider.delivery.accept;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRoutes;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.RouteTarget;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.message.MessageStarts;
import dev.postrider.message.NewMessage;
import dev.postrider.tenant.EventTtl;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decides which endpoints and queues get a message, and when. Runs on the caller's thread. */
public final class FanOut {
  private final LaneKeys laneKeys;
  private final KeyWindow keyWindow;
  private final TimeSource time;

  public FanOut(LaneKeys laneKeys, KeyWindow keyWindow, TimeSource time) {
    this.laneKeys = laneKeys;
    this.keyWindow = keyWindow;
    this.time = time;
  }

  /** One message as it joins a batch. */
  PendingAccept pending(Routing routing, NewMessage message, Id messageId) {
    return new PendingAccept(
        keyWindow.applyTo(message, routing.settings().keyWindowMs()),
        routing,
        messageId,
        plan(routing, message, messageId),
        deduplication(routing, message, messageId),
        routing.triggers().isEmpty() ? List.of() : starts(routing, message, messageId));
  }

  /** The id of a run follows from message and trigger, as that of a delivery does. */
  static List<MessageStarts.Start> starts(Routing routing, NewMessage message, Id messageId) {
    return routing.triggers().stream()
        .filter(trigger -> trigger.subscriptions().matches(message.eventType()))
        .map(
            trigger ->
                new MessageStarts.Start(
                    DeliveryIds.of(messageId, trigger.id(), Id.ZERO), trigger.id()))
        .toList();
  }

  /** The deliveries of a message, all pending at first. */
  List<NewDelivery> plan(Routing routing, NewMessage message, Id messageId) {
    List<NewDelivery> deliveries = new ArrayList<>(routing.targets().size());
    long now = time.nowMs();
    Long deliverAt = message.deliverAtMs();
    boolean forwarded = ForwardedHeaders.ifForwarded(message.headers()) != null;
    AgentRoutes.OfMessage routes = routing.routesOf(message.eventType());
    for (RouteTarget target : routing.targets()) {
      if (!target.takes(message.eventType(), message.channels())) {
        continue;
      }
      Id id = DeliveryIds.of(messageId, target.endpointId(), Id.ZERO);
      AgentRoute route = routes.to(new EndpointId(target.endpointId()));
      int delay = initialDelay(target, route);
      long due = Math.max(now, deliverAt == null ? 0 : deliverAt) + delay;
      deliveries.add(
          new NewDelivery(
              id,
              target,
              route == null && delay == 0 && !target.shaped() && !forwarded,
              null,
              null,
              due,
              deliverAt == null ? delay : 0,
              route == null ? null : NewDelivery.RoutedTo.of(route, message),
              EventTtl.expiresAt(target.eventTtlMs(), now, deliverAt)));
    }
    return deliveries;
  }

  /** Evaluated on the thread of the caller; the statements run only if there is a key. */
  PendingAccept.Deduplication deduplication(Routing routing, NewMessage message, Id messageId) {
    Map<Id, Id> keys = Map.of();
    for (RouteTarget target : routing.targets()) {
      if (target.dedupe() == null || !target.takes(message.eventType(), message.channels())) {
        continue;
      }
      Id deliveryId = DeliveryIds.of(messageId, target.endpointId(), Id.ZERO);
      Id key = laneKeys.of(routing, target, message, messageId, deliveryId);
      if (key != null) {
        keys = keys.isEmpty() ? new HashMap<>() : keys;
        keys.put(deliveryId, key);
      }
    }
    return keys.isEmpty()
        ? PendingAccept.Deduplication.NONE
        : new PendingAccept.Deduplication(keys, keyWindow.until(routing.settings().keyWindowMs()));
  }

  private static int initialDelay(RouteTarget target, @Nullable AgentRoute route) {
    int own = target.initialDelayMs() == null ? 0 : target.initialDelayMs();
    return route != null && route.instructions().profile() == AgentRoute.Profile.AGENT
        ? Math.max(own, AgentRoute.Profile.AGENT_DELAY_MS)
        : own;
  }
}
