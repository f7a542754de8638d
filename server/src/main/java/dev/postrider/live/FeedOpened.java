package dev.postrider.live;

import dev.postrider.event.SharedEvent;

/** The first client of the live feed connected: all instances write their events for it. */
public record FeedOpened() implements SharedEvent {}
