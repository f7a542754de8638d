package dev.postrider.event;

/** A change that listeners are notified of. Each capability declares its own as records. */
public interface Event {}
