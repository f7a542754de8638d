package dev.postrider.eventtype;

import dev.postrider.event.Event;

/** The event types of an environment were changed. */
public record EventTypesChanged(String environmentId) implements Event {}
