/**
 * Pull queues: an exit that is asked instead of called.
 *
 * <p>A queue is a lane without an endpoint. Whoever reads takes due deliveries: each is marked
 * {@code sending}, its version goes up, and its next time is the end of its visibility. So a reader
 * that dies gives back by doing nothing. An acknowledgement names the version that was handed out;
 * a later hand-out makes it void, as a fenced lease does elsewhere (engine rule 12).
 */
@NullMarked
package dev.postrider.queue;

import org.jspecify.annotations.NullMarked;
