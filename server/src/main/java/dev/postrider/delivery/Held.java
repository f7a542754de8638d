package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases that this instance knows it holds: what the table says beyond that is released (engine
 * rule 11).
 */
public final class Held {
  private final ConcurrentHashMap<Id, Integer> versions = new ConcurrentHashMap<>();

  public void add(Leased leased) {
    versions.put(leased.deliveryId(), leased.leaseVersion());
  }

  public void remove(LeaseRef lease) {
    versions.remove(lease.deliveryId(), lease.leaseVersion());
  }

  public boolean holds(LeaseRef lease) {
    Integer version = versions.get(lease.deliveryId());
    return version != null && version == lease.leaseVersion();
  }

  public int size() {
    return versions.size();
  }
}
