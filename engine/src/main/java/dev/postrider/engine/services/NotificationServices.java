package dev.postrider.engine.services;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryListeners;
import java.util.function.Consumer;

/**
 * Listeners and notifications between instances.
 *
 * @param listeners of deliveries; add to it before the engine starts
 * @param deliveries to be called when other stores change deliveries
 * @param onPeerChange runs when another instance has changed something; it must be fast
 * @param notifyPeers wakes the other instances
 */
public record NotificationServices(
    DeliveryListeners listeners,
    DeliveryListener deliveries,
    Consumer<Runnable> onPeerChange,
    Runnable notifyPeers) {}
