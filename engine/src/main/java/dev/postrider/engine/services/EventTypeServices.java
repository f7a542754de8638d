package dev.postrider.engine.services;

import dev.postrider.eventtype.EventTypeStore;

/** Event types. */
public record EventTypeServices(EventTypeStore store) {}
