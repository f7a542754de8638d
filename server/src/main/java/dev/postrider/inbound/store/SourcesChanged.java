package dev.postrider.inbound.store;

import dev.postrider.event.Event;

/** The event that is published after sources were changed. */
public record SourcesChanged() implements Event {}
