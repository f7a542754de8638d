package dev.postrider.event;

/**
 * An event that concerns the other instances too: they are notified after the commit, and publish
 * {@link PeerChange}.
 */
public interface SharedEvent extends Event {}
