package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.subtle.AesGcmJce;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Creates data keys, encrypts them with the current master key, stores them, and decrypts stored
 * ones with any configured master key.
 */
final class DataKeyMaker {
  private static final int DATA_KEY_BYTES = 32;

  private final DataKeyStore store;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random;
  private final ReentrantLock switching = new ReentrantLock();
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

  List<WrappedDataKey> load(String environmentId) {
    return store.load(environmentId);
  }

  /**
   * The id of an environment's first key is derived from the environment, so that of two instances
   * only one creates it.
   */
  WrappedDataKey createFirst(String environmentId) {
    return create(firstId(environmentId), environmentId, time.nowMs());
  }

  /** Another key, newer than that one even if the clock went back. */
  WrappedDataKey createAfter(WrappedDataKey newest) {
    return create(
        ids.next(), newest.environmentId(), Math.max(time.nowMs(), newest.createdAtMs() + 1));
  }

  Aead open(WrappedDataKey key) {
    byte[] dataKey = masters.unwrap(key);
    try {
      return new AesGcmJce(dataKey);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support AES-256-GCM", e);
    } finally {
      Arrays.fill(dataKey, (byte) 0);
    }
  }

  long nanos() {
    return time.nanos();
  }

  private WrappedDataKey create(Id id, String environmentId, long createdAtMs) {
    byte[] dataKey = new byte[DATA_KEY_BYTES];
    random.nextBytes(dataKey);
    try {
      WrappedDataKey shape = new WrappedDataKey(id, environmentId, "", new byte[0], createdAtMs);
      return store.insertIfAbsent(masters.wrap(shape, dataKey));
    } finally {
      Arrays.fill(dataKey, (byte) 0);
    }
  }

  private static Id firstId(String environmentId) {
    try {
      byte[] name = ("first data key of " + environmentId).getBytes(StandardCharsets.UTF_8);
      return Id.ofBytes(Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(name), 16));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}
