package dev.postrider.crypto;

import com.google.crypto.tink.subtle.AesGcmJce;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Creates data keys, encrypts them with the current master key, stores them, and decrypts stored
 * ones with any configured master key.
 */
final class DataKeyMaker {
  /**
   * After a KMS did not respond it is not called for this long, so that a thousand waiting
   * deliveries call it once.
   */
  static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private static final int DATA_KEY_BYTES = 32;

  /** How many data keys are encrypted or decrypted by a KMS at the same time. */
  private static final int MAX_CALLS = 8;

  private record Outage(MasterKeyUnavailable cause, long atNanos) {}

  private final DataKeyStore store;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random;
  private final ReentrantLock switching = new ReentrantLock();
  private final Semaphore calls = new Semaphore(MAX_CALLS);

  /** By the id of the master key. */
  private final Map<String, Outage> outages = new ConcurrentHashMap<>();

  private volatile Masters masters;

  DataKeyMaker(DataKeyStore store, Masters masters, Ids ids, TimeSource time, SecureRandom random) {
    this.store = store;
    this.masters = masters;
    this.ids = ids;
    this.time = time;
    this.random = random;
  }

  Masters masters() {
    return masters;
  }

  /** From now on that master key encrypts; all known before can still decrypt. */
  Masters switchTo(MasterKey fresh) {
    switching.lock();
    try {
      Masters both = masters.withCurrent(fresh);
      masters = both;
      return both;
    } finally {
      switching.unlock();
    }
  }

  List<WrappedDataKey> load(KeyScope scope) {
    return store.load(scope);
  }

  /**
   * The id of the first key is derived from the scope, so that of two instances only one creates
   * it.
   */
  WrappedDataKey createFirst(KeyScope scope) {
    return create(firstId(scope), scope, time.nowMs());
  }

  /** Another key, newer than that one even if the clock went back. */
  WrappedDataKey createAfter(WrappedDataKey newest) {
    return create(ids.next(), newest.scope(), Math.max(time.nowMs(), newest.createdAtMs() + 1));
  }

  OpenedKey open(WrappedDataKey key) {
    byte[] dataKey = calling(key.masterKeyId(), () -> masters.unwrap(key));
    try {
      return OpenedKey.of(dataKey, new AesGcmJce(dataKey));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support AES-256-GCM", e);
    } finally {
      Arrays.fill(dataKey, (byte) 0);
    }
  }

  long nanos() {
    return time.nanos();
  }

  private WrappedDataKey create(Id id, KeyScope scope, long createdAtMs) {
    byte[] dataKey = new byte[DATA_KEY_BYTES];
    random.nextBytes(dataKey);
    try {
      WrappedDataKey shape = new WrappedDataKey(id, scope, "", new byte[0], createdAtMs);
      Masters now = masters;
      return store.insertIfAbsent(calling(now.current().id(), () -> now.wrap(shape, dataKey)));
    } finally {
      Arrays.fill(dataKey, (byte) 0);
    }
  }

  /**
   * One call of a master key. While a KMS does not respond, it is called once in a while, so that a
   * thousand waiting applications do not call it a thousand times.
   */
  private <T> T calling(String masterKeyId, Supplier<T> call) {
    calls.acquireUninterruptibly();
    try {
      Outage outage = outages.get(masterKeyId);
      if (outage != null && time.nanos() - outage.atNanos() < PAUSE_AFTER_FAILURE.toNanos()) {
        throw outage.cause().again();
      }
      T result = call.get();
      outages.remove(masterKeyId);
      return result;
    } catch (MasterKeyUnavailable e) {
      if (e.reason() == MasterKeyUnavailable.Reason.KMS_UNAVAILABLE && e.isFirstHand()) {
        outages.put(masterKeyId, new Outage(e, time.nanos()));
      }
      throw e;
    } finally {
      calls.release();
    }
  }

  private static Id firstId(KeyScope scope) {
    Id application = scope.owner();
    String owner = scope.environmentId() + (application == null ? "" : " " + application);
    try {
      byte[] name = ("first data key of " + owner).getBytes(StandardCharsets.UTF_8);
      return Id.ofBytes(Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(name), 16));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}
