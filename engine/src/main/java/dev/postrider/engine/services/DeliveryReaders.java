package dev.postrider.engine.services;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryDetailReader;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.EnvironmentDeliveryReader;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.storage.Database;

/**
 * Reads deliveries, attempts and lanes.
 *
 * @param details of single deliveries
 * @param ofEnvironment the deliveries of all applications of an environment
 * @param received messages of sources with their deliveries
 * @param content payloads and responses; also deletes them on request
 */
public record DeliveryReaders(
    DeliveryReader deliveries,
    DeliveryDetailReader details,
    EnvironmentDeliveryReader ofEnvironment,
    ReceivedReader received,
    AttemptReader attempts,
    LaneReader lanes,
    ContentStore content) {

  /**
   * @param listener is called when deleted content ends deliveries
   */
  public static DeliveryReaders of(Database database, DeliveryListener listener) {
    return new DeliveryReaders(
        new DeliveryReader(database),
        new DeliveryDetailReader(database),
        new EnvironmentDeliveryReader(database),
        new ReceivedReader(database),
        new AttemptReader(database),
        new LaneReader(database),
        new ContentStore(database, listener));
  }
}
