package dev.postrider.delivery.store;

import dev.postrider.storage.Database;
import dev.postrider.tenant.EventTtl;

/**
 * The statements on deliveries and lanes that both dialects share. Lock order: applications,
 * deliveries by id, lanes by id.
 */
public record DeliveryStores(
    LaneStore lanes, DueStore due, LeaseStore leases, RescueStore rescues) {

  /** Without an event TTL of the server. */
  public static DeliveryStores of(Database database) {
    return of(database, EventTtl.NONE);
  }

  public static DeliveryStores of(Database database, EventTtl eventTtl) {
    LaneStore lanes = new LaneStore(database, eventTtl);
    LeaseStore leases = new LeaseStore(database, lanes);
    return new DeliveryStores(
        lanes, new DueStore(database, eventTtl), leases, new RescueStore(database, leases));
  }
}
