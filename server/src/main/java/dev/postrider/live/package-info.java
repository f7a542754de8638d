/**
 * What happens, as it happens: status changes of deliveries, dead letters, signature failures and
 * circuits, for people and programs that watch.
 *
 * <p>{@link dev.postrider.live.LiveFeed} hears of everything from the listeners, after the commits.
 * A thread of its own writes it down in batches, so that every instance can tell it and a client
 * that comes back can go on where it was; another thread reads the table's end and gives it to this
 * instance's clients. Dead letters, signature failures and circuits are always written; the many
 * status changes only while somebody watches, or did within the retention. What does not fit into
 * the bounded queue is counted and left out: the feed never slows deliveries down.
 */
@NullMarked
package dev.postrider.live;

import org.jspecify.annotations.NullMarked;
