/**
 * The live feed: status changes of deliveries, dead letters, signature failures and circuits,
 * streamed to people and programs.
 *
 * <p>{@link dev.postrider.live.LiveFeed} receives events from the listeners, after the commits. A
 * thread of its own writes them to a table in batches, so that every instance can send them and a
 * client that reconnects can resume; another thread reads the end of the table and passes events to
 * the clients of this instance. Dead letters, signature failures and circuits are always written;
 * the many status changes only while a client is connected, or was within the retention. Events
 * that do not fit into the bounded queue are counted and dropped: the feed never slows deliveries
 * down.
 */
@NullMarked
package dev.postrider.live;

import org.jspecify.annotations.NullMarked;
