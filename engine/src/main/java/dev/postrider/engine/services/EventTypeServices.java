package dev.postrider.engine.services;

import dev.postrider.eventtype.EventTypeListener;
import dev.postrider.eventtype.EventTypeStore;

/**
 * Event types.
 *
 * @param changes called with the environment after a change of its event types or settings
 */
public record EventTypeServices(EventTypeStore store, EventTypeListener changes) {}
