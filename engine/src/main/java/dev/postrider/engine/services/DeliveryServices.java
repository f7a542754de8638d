package dev.postrider.engine.services;

import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.command.Cancel;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.command.Redrive;

/** The services of the engine that read, send again, test or cancel deliveries. */
public record DeliveryServices(
    DeliveryReaders readers,
    Redrive redrive,
    Cancel cancel,
    EndpointTests tests,
    Statistics statistics,
    StepServices steps) {}
