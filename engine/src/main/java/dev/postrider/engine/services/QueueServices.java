package dev.postrider.engine.services;

import dev.postrider.queue.QueueFilter;
import dev.postrider.queue.QueueHistoryStore;
import dev.postrider.queue.QueueOffsetStore;
import dev.postrider.queue.QueueStore;
import dev.postrider.queue.QueueTokenStore;
import dev.postrider.queue.Queues;
import dev.postrider.storage.Database;
import java.security.SecureRandom;

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
    QueueFilter filter,
    QueueHistoryStore history,
    QueueOffsetStore offsets,
    QueueTokenStore tokens) {

  public static QueueServices of(
      StorageServices storage, QueueStore store, Queues queues, QueueFilter filter) {
    Database database = storage.database();
    return new QueueServices(
        store,
        queues,
        filter,
        new QueueHistoryStore(database, storage.watermark(), storage.time()),
        new QueueOffsetStore(database, storage.time()),
        new QueueTokenStore(
            database, storage.keyring(), storage.ids(), storage.time(), new SecureRandom()));
  }
}
