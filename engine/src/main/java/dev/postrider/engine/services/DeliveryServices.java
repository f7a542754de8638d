package dev.postrider.engine.services;

import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.loop.Canceler;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.queue.Queues;

/** The services of the engine for deliveries, pull queues and lanes. */
public record DeliveryServices(
    DeliveryStores stores,
    Redrive redrive,
    Canceler canceler,
    EndpointTests tests,
    Queues queues,
    Lanes lanes) {}
