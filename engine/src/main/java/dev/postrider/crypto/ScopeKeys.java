package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The decrypted data keys of one environment or application. They are read without a lock; one
 * thread at a time accesses the store and the master key.
 */
final class ScopeKeys {
  /** Newest last; the id breaks a tie so that all instances agree. */
  private static final Comparator<WrappedDataKey> BY_AGE =
      Comparator.comparingLong(WrappedDataKey::createdAtMs).thenComparing(WrappedDataKey::id);

  private final DataKeyMaker maker;
  private final KeyScope scope;
  private final ReentrantLock asking = new ReentrantLock();
  private final Map<Id, OpenedKey> opened = new ConcurrentHashMap<>();
  private volatile @Nullable DataKey active;
  private @Nullable Failure lastFailure; // guarded by asking

  ScopeKeys(DataKeyMaker maker, KeyScope scope) {
    this.maker = maker;
    this.scope = scope;
  }

  /** A decrypted data key, ready to encrypt and decrypt secrets. */
  record DataKey(Id id, OpenedKey key) {}

  private record Failure(MasterKeyUnavailable cause, long atNanos) {}

  /** The key to encrypt with. */
  DataKey active() {
    DataKey known = active;
    return known != null ? known : alone(this::openNewest);
  }

  /** The same if it is known without the store and the master key; otherwise null. */
  @Nullable DataKey activeIfKnown() {
    return active;
  }

  /** The key that a stored secret refers to. */
  OpenedKey get(Id id) {
    OpenedKey known = opened.get(id);
    return known != null ? known : alone(() -> openById(id));
  }

  /** Creates a new key and encrypts with it from now on. */
  Id rotate() {
    return alone(() -> adopt(newest().map(maker::createAfter).orElseGet(this::createFirst))).id();
  }

  private DataKey openNewest() {
    DataKey known = active;
    return known != null ? known : adopt(newest().orElseGet(this::createFirst));
  }

  private OpenedKey openById(Id id) {
    OpenedKey known = opened.get(id);
    if (known != null) {
      return known;
    }
    // Another instance may have created it a moment ago, so the store is read each time.
    for (WrappedDataKey stored : maker.load(scope)) {
      if (stored.id().equals(id)) {
        return open(stored);
      }
    }
    throw new SecretUnreadable(
        SecretUnreadable.Reason.UNKNOWN_DATA_KEY,
        "a stored secret is encrypted with data key %s of %s, which is missing; restore the data keys from a backup, or set the secret again"
            .formatted(id, scope),
        null);
  }

  private Optional<WrappedDataKey> newest() {
    return maker.load(scope).stream().max(BY_AGE);
  }

  private WrappedDataKey createFirst() {
    return maker.createFirst(scope);
  }

  private DataKey adopt(WrappedDataKey stored) {
    DataKey fresh = new DataKey(stored.id(), open(stored));
    active = fresh;
    return fresh;
  }

  private OpenedKey open(WrappedDataKey stored) {
    OpenedKey key = maker.open(stored);
    opened.put(stored.id(), key);
    return key;
  }

  private <T> T alone(Supplier<T> work) {
    asking.lock();
    try {
      Failure failure = lastFailure;
      if (failure != null
          && maker.nanos() - failure.atNanos() < DataKeyMaker.PAUSE_AFTER_FAILURE.toNanos()) {
        throw failure.cause().again();
      }
      return asked(work);
    } finally {
      asking.unlock();
    }
  }

  private <T> T asked(Supplier<T> work) {
    try {
      T result = work.get();
      lastFailure = null;
      return result;
    } catch (MasterKeyUnavailable e) {
      lastFailure = new Failure(e, maker.nanos());
      throw e;
    }
  }
}
