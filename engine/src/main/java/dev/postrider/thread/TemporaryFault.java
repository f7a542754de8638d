package dev.postrider.thread;

/**
 * An exception whose cause passes by itself, such as a database that restarts. A loop repeats its
 * turn without an entry in the log at each time.
 */
public interface TemporaryFault {}
