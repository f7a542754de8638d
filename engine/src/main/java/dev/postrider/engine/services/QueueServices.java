package dev.postrider.engine.services;

import dev.postrider.queue.QueueHistoryStore;
import dev.postrider.queue.QueueOffsetStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.queue.Queues;

/**
 * The services of pull queues.
 *
 * @param queues receives, acknowledges and releases messages
 * @param history reads a queue as a log
 * @param offsets positions of the consumers of the log
 * @param tokens credentials of the consumers of the log
 */
public record QueueServices(
    QueueStore store,
    Queues queues,
    QueueHistoryStore history,
    QueueOffsetStore offsets,
    QueueTokenStore tokens) {}
