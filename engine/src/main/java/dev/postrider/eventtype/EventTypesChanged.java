package dev.postrider.eventtype;

import dev.postrider.event.SharedEvent;

/** The event that is published after the event types of an environment were changed. */
public record EventTypesChanged(String environmentId) implements SharedEvent {}
