package dev.postrider.crypto;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The configured master keys: the current one encrypts, all of them decrypt. Immutable, so that a
 * rotation replaces the whole set atomically.
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

  /**
   * An encrypted key that was moved to another id, environment or application cannot be decrypted.
   */
  private static byte[] boundTo(WrappedDataKey key) {
    return SealedBytes.boundTo(key.id(), key.scope(), new byte[0]);
  }
}
