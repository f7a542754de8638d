package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Encrypts and decrypts secrets with the cached data keys of their environment. Thread-safe. Most
 * calls read neither the database nor the master key.
 */
public final class Keyring {
  /** More than any secret or header value needs, and what one row may cost in memory. */
  public static final int MAX_PLAINTEXT_BYTES = 1 << 20;

  /** Maximum number of rounds of a rotation for keys that another instance changed meanwhile. */
  private static final int MAX_ROTATION_PASSES = 8;

  private final DataKeyStore store;
  private final DataKeyMaker maker;
  private final Map<String, ScopeKeys> environments = new ConcurrentHashMap<>();

  /** The current master key encrypts; previous ones only decrypt. */
  public Keyring(
      MasterKey current,
      List<MasterKey> previous,
      DataKeyStore store,
      Ids ids,
      TimeSource time,
      SecureRandom random) {
    this.store = store;
    this.maker = new DataKeyMaker(store, Masters.of(current, previous), ids, time, random);
  }

  /** Encrypts so that only the same environment and context can decrypt it. */
  public byte[] seal(String environmentId, byte[] plaintext, byte[] context) {
    if (plaintext.length > MAX_PLAINTEXT_BYTES) {
      throw new IllegalArgumentException(
          "secret: has %d bytes; at most %d are allowed"
              .formatted(plaintext.length, MAX_PLAINTEXT_BYTES));
    }
    ScopeKeys.DataKey key = keys(environmentId).active();
    try {
      byte[] bound = SealedBytes.boundTo(key.id(), environmentId, context);
      return SealedBytes.join(key.id(), key.aead().encrypt(plaintext, bound));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot encrypt with AES-256-GCM", e);
    }
  }

  /**
   * Decrypts; throws {@link SecretUnreadable} if it can never be decrypted, {@link
   * MasterKeyUnavailable} if a retry may help.
   */
  public byte[] open(String environmentId, byte[] sealed, byte[] context) {
    Id id = SealedBytes.dataKey(sealed);
    Aead aead = keys(environmentId).get(id);
    try {
      return aead.decrypt(
          SealedBytes.ciphertext(sealed), SealedBytes.boundTo(id, environmentId, context));
    } catch (GeneralSecurityException e) {
      throw new SecretUnreadable(
          SecretUnreadable.Reason.NOT_AUTHENTIC,
          "a stored secret of environment "
              + environmentId
              + " cannot be decrypted because its row was changed or moved; set the secret again",
          e);
    }
  }

  /**
   * Gives the environment a new data key that this instance encrypts with from now on; older
   * secrets stay readable.
   */
  public Id rotateDataKey(String environmentId) {
    return keys(environmentId).rotate();
  }

  /**
   * Re-encrypts every data key with that master key, which then is the current one; secrets can be
   * used meanwhile. Other instances need it among their master keys before they load an environment
   * that they have not loaded yet.
   */
  public MasterRotation rotateMaster(MasterKey fresh) {
    prove(fresh);
    Masters both = maker.switchTo(fresh);
    int rewrapped = 0;
    for (int pass = 1; ; pass++) {
      List<Id> left = new ArrayList<>();
      for (WrappedDataKey stored : store.all()) {
        if (stored.masterKeyId().equals(fresh.id())) {
          continue;
        }
        if (rewrap(stored, both)) {
          rewrapped++;
        } else {
          left.add(stored.id());
        }
      }
      if (left.isEmpty() || pass == MAX_ROTATION_PASSES) {
        return new MasterRotation(rewrapped, left);
      }
    }
  }

  /**
   * Master keys that stored data keys need and that this process does not have; reported at start.
   */
  public Set<String> missingMasters() {
    Set<String> missing = new HashSet<>();
    store.all().forEach(key -> missing.add(key.masterKeyId()));
    missing.removeAll(maker.masters().byId().keySet());
    return missing;
  }

  /** Whether stored data keys are encrypted with that master key, or none is stored yet. */
  public boolean isInUse(String masterKeyId) {
    List<WrappedDataKey> stored = store.all();
    return stored.isEmpty()
        || stored.stream().anyMatch(key -> key.masterKeyId().equals(masterKeyId));
  }

  public String currentMasterId() {
    return maker.masters().current().id();
  }

  /**
   * False for a key that another instance changed meanwhile, or that cannot be decrypted: one bad
   * row must not stop the others.
   */
  private boolean rewrap(WrappedDataKey stored, Masters both) {
    byte[] dataKey;
    try {
      dataKey = both.unwrap(stored);
    } catch (SecretUnreadable _) {
      return false;
    } catch (MasterKeyUnavailable e) {
      if (e.reason() == MasterKeyUnavailable.Reason.NOT_CONFIGURED) {
        return false;
      }
      throw e;
    }
    try {
      return store.replace(stored, both.wrap(stored, dataKey));
    } finally {
      Arrays.fill(dataKey, (byte) 0);
    }
  }

  /**
   * Checked before use: a master key that cannot decrypt what it encrypted would make everything
   * unreadable.
   */
  private static void prove(MasterKey fresh) {
    byte[] probe = {1, 2, 3, 4};
    if (!Arrays.equals(probe, fresh.unwrap(fresh.wrap(probe, probe), probe))) {
      throw new IllegalArgumentException(
          "master key "
              + fresh.id()
              + " cannot decrypt a data key that it has just encrypted; it is not used");
    }
  }

  private ScopeKeys keys(String environmentId) {
    ScopeKeys known = environments.get(environmentId);
    return known != null
        ? known
        : environments.computeIfAbsent(
            environmentId, environment -> new ScopeKeys(maker, environment));
  }

  @Override
  public String toString() {
    return "Keyring[" + maker.masters().current() + "]";
  }
}
