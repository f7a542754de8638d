/**
 * Pull queues: consumers receive messages instead of being called.
 *
 * <p>A queue is a lane without an endpoint. A consumer receives due deliveries: each is marked
 * {@code sending}, its version goes up, and its next time is the end of its visibility. So the
 * messages of a consumer that dies become visible again by themselves. An acknowledgement contains
 * the version of the receive; a later receive invalidates it, like a fenced lease elsewhere (engine
 * rule 12).
 */
@NullMarked
package dev.postrider.queue;

import org.jspecify.annotations.NullMarked;
