package dev.postrider.inbound.source;

import dev.postrider.event.Event;

/** Sources were changed. */
public record SourcesChanged() implements Event {}
