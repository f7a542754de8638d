package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A data key store without a database; counts how often it is asked. */
public final class InMemoryDataKeyStore implements DataKeyStore {
  private final ConcurrentMap<Id, WrappedDataKey> rows = new ConcurrentHashMap<>();
  private final AtomicInteger loads = new AtomicInteger();

  @Override
  public List<WrappedDataKey> load(String environmentId) {
    loads.incrementAndGet();
    return rows.values().stream().filter(key -> key.environmentId().equals(environmentId)).toList();
  }

  @Override
  public WrappedDataKey insertIfAbsent(WrappedDataKey key) {
    WrappedDataKey stored = rows.putIfAbsent(key.id(), key);
    return stored == null ? key : stored;
  }

  @Override
  public List<WrappedDataKey> all() {
    return new ArrayList<>(rows.values());
  }

  @Override
  public boolean replace(WrappedDataKey old, WrappedDataKey fresh) {
    return rows.replace(old.id(), old, fresh);
  }

  int loads() {
    return loads.get();
  }

  /** Damages a row behind the keyring's back. */
  void put(WrappedDataKey key) {
    rows.put(key.id(), key);
  }

  void clear() {
    rows.clear();
  }
}
