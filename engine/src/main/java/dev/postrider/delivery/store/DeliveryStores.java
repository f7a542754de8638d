package dev.postrider.delivery.store;

import dev.postrider.storage.Database;

/**
 * The statements on deliveries and lanes that both dialects share. Lock order: applications,
 * deliveries by id, lanes by id.
 */
public record DeliveryStores(LaneStore lanes, DueStore due, LeaseStore leases) {

  public static DeliveryStores of(Database database) {
    LaneStore lanes = new LaneStore(database);
    return new DeliveryStores(lanes, new DueStore(database), new LeaseStore(database, lanes));
  }
}
