package dev.postrider.engine.services;

import dev.postrider.eventtype.EventTypeStore;

/** The services of the engine for event types. */
public record EventTypeServices(EventTypeStore store) {}
