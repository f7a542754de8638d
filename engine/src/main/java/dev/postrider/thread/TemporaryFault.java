package dev.postrider.thread;

/**
 * Implemented by exceptions with a temporary cause, such as a database that restarts. A loop
 * retries its turn and does not log each failure.
 */
public interface TemporaryFault {}
