package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A data key store without a database; counts how often it is asked. */
public final class InMemoryDataKeyStore implements DataKeyStore {
  private final ConcurrentMap<Id, WrappedDataKey> rows = new ConcurrentHashMap<>();
  private final AtomicInteger loads = new AtomicInteger();
  private volatile CountDownLatch readers = new CountDownLatch(0);

  @Override
  public List<WrappedDataKey> load(KeyScope scope) {
    loads.incrementAndGet();
    List<WrappedDataKey> found =
        rows.values().stream().filter(key -> key.scope().equals(scope)).toList();
    meet();
    return found;
  }

  @Override
  public WrappedDataKey insertIfAbsent(WrappedDataKey key) {
    WrappedDataKey stored = rows.putIfAbsent(key.id(), key);
    return stored == null ? key : stored;
  }

  @Override
  public Set<String> masterKeyIds() {
    return rows.values().stream().map(WrappedDataKey::masterKeyId).collect(Collectors.toSet());
  }

  @Override
  public List<WrappedDataKey> withOtherMaster(String masterKeyId, Id after, int limit) {
    List<WrappedDataKey> found =
        rows.values().stream()
            .filter(key -> key.id().compareTo(after) > 0)
            .filter(key -> !key.masterKeyId().equals(masterKeyId))
            .sorted(Comparator.comparing(WrappedDataKey::id))
            .limit(limit)
            .toList();
    meet();
    return found;
  }

  /** The data keys of all scopes. */
  public List<WrappedDataKey> all() {
    return List.copyOf(rows.values());
  }

  @Override
  public boolean replace(WrappedDataKey old, WrappedDataKey fresh) {
    return rows.replace(old.id(), old, fresh);
  }

  /**
   * The next readings end only when that many have read, so that all act on what none has changed
   * yet.
   */
  void letReadersMeet(int count) {
    readers = new CountDownLatch(count);
  }

  private void meet() {
    CountDownLatch meeting = readers;
    meeting.countDown();
    try {
      if (!meeting.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the other reader never came");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  int loads() {
    return loads.get();
  }

  /** Damages a row without the keyring. */
  void put(WrappedDataKey key) {
    rows.put(key.id(), key);
  }

  void clear() {
    rows.clear();
  }

  /** As a purge of the application does. */
  void removeOf(Id applicationId) {
    rows.values().removeIf(key -> applicationId.equals(key.scope().owner()));
  }
}
