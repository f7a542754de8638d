/**
 * {@link dev.postrider.thread.PeriodicLoop}: a thread that calls a function until it is stopped.
 * Claimer, finisher, heartbeat, rescuer, pruner and all other periodic work run in one, so they
 * start, stop, wake up and log failures alike. An exception ends a turn, never the loop. An
 * exception that is a {@link dev.postrider.thread.TemporaryFault}, such as a database that
 * restarts, is not logged each time.
 */
@NullMarked
package dev.postrider.thread;

import org.jspecify.annotations.NullMarked;
