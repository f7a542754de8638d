package dev.postrider.inbound.store;

import dev.postrider.event.SharedEvent;

/** The event that is published after sources were changed. */
public record SourcesChanged() implements SharedEvent {}
