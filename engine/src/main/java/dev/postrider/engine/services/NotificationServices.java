package dev.postrider.engine.services;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryListeners;
import dev.postrider.event.EngineEvents;

/**
 * Events and listeners.
 *
 * @param events the event bus; add listeners before the engine starts
 * @param listeners of deliveries; add to it before the engine starts
 * @param deliveries to be called when other stores change deliveries
 */
public record NotificationServices(
    EngineEvents events, DeliveryListeners listeners, DeliveryListener deliveries) {}
