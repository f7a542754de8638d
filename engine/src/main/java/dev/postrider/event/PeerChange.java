package dev.postrider.event;

/** Another instance has changed something; caches should look at the database soon. */
public record PeerChange() implements Event {}
