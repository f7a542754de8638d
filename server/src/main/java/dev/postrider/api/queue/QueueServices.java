package dev.postrider.api.queue;

import dev.postrider.queue.QueueHistoryStore;
import dev.postrider.queue.QueueOffsetStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.queue.Queues;

/**
 * Queues and how they are read.
 *
 * @param queues receives, acknowledges and releases messages
 * @param history reads a queue as a log
 * @param offsets what consumers of the log have read
 * @param tokens what consumers of the log are recognized by
 */
public record QueueServices(
    QueueStore store,
    Queues queues,
    QueueHistoryStore history,
    QueueOffsetStore offsets,
    QueueTokenStore tokens) {}
