package dev.postrider.engine.services;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryListeners;
import java.util.function.Consumer;

/**
 * Who is notified of what.
 *
 * @param listeners of deliveries; add to it before the engine starts
 * @param deliveries to be notified of what other stores change in deliveries
 * @param onPeerChange runs when another instance has changed something; it must be quick
 * @param notifyPeers wakes the other instances
 */
public record NotificationServices(
    DeliveryListeners listeners,
    DeliveryListener deliveries,
    Consumer<Runnable> onPeerChange,
    Runnable notifyPeers) {}
