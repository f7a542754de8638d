package dev.postrider.event;

/** Another instance has changed something; listeners reload their caches soon. */
public record PeerChange() implements Event {}
