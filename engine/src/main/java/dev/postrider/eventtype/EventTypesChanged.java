package dev.postrider.eventtype;

import dev.postrider.event.Event;

/** The event that is published after the event types of an environment were changed. */
public record EventTypesChanged(String environmentId) implements Event {}
