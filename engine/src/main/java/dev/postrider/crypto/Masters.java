package dev.postrider.crypto;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The master keys known now: one that wraps, all that unwrap. Immutable, so that a rotation swaps
 * it whole.
 */
record Masters(MasterKey current, Map<String, MasterKey> byId) {

  static Masters of(MasterKey current, List<MasterKey> previous) {
    Map<String, MasterKey> byId = new HashMap<>();
    previous.forEach(key -> byId.put(key.id(), key));
    byId.put(current.id(), current);
    return new Masters(current, Map.copyOf(byId));
  }

  Masters withCurrent(MasterKey fresh) {
    return of(fresh, List.copyOf(byId.values()));
  }

  WrappedDataKey wrap(WrappedDataKey shape, byte[] dataKey) {
    return shape.wrappedBy(current.id(), current.wrap(dataKey, boundTo(shape)));
  }

  byte[] unwrap(WrappedDataKey key) {
    MasterKey master = byId.get(key.masterKeyId());
    if (master == null) {
      throw MasterKeyUnavailable.notConfigured(key.masterKeyId());
    }
    return master.unwrap(key.wrapped(), boundTo(key));
  }

  /** A wrapped key moved to another environment or id does not open. */
  private static byte[] boundTo(WrappedDataKey key) {
    return SealedBytes.boundTo(key.id(), key.environmentId(), new byte[0]);
  }
}
