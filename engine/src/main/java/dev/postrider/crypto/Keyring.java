package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts and decrypts secrets with the cached data keys of their environment, or of their
 * application if it has its own. Thread-safe. Most calls read neither the database nor the master
 * key.
 */
public final class Keyring {
  /** More than any secret or header value needs, and what one row may cost in memory. */
  public static final int MAX_PLAINTEXT_BYTES = 1 << 20;

  /** Environments and applications whose keys are cached; beyond it, those of applications go. */
  static final int MAX_SCOPES = 20_000;

  /** Maximum number of rounds of a rotation for keys that another instance changed meanwhile. */
  private static final int MAX_ROTATION_PASSES = 8;

  /** Data keys that a rotation reads at once. */
  private static final int ROTATION_PAGE = 500;

  private final DataKeyStore store;
  private final DataKeyMaker maker;
  private final Map<KeyScope, ScopeKeys> scopes;

  /** Where a key of an application is missing; null outside a transaction, where it is created. */
  private final @Nullable Set<KeyScope> postponed;

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
    this.scopes = new ConcurrentHashMap<>();
    this.postponed = null;
  }

  private Keyring(Keyring other, Set<KeyScope> postponed) {
    this.store = other.store;
    this.maker = other.maker;
    this.scopes = other.scopes;
    this.postponed = postponed;
  }

  /**
   * The same keyring within a transaction, in which no data key can be created: where an
   * application has none yet, the environment's is used, and the scope is added to {@code
   * postponed}. Its secrets are then to be sealed again.
   */
  public Keyring inTransaction(Set<KeyScope> postponed) {
    return new Keyring(this, postponed);
  }

  /** Creates or reads the data key of the scope, so that the transaction that follows has it. */
  public void prepare(KeyScope scope) {
    keys(scope).active();
  }

  /**
   * Encrypts with the data key of the scope, so that only the same environment and context can
   * decrypt it.
   */
  public byte[] seal(KeyScope scope, byte[] plaintext, byte[] context) {
    if (plaintext.length > MAX_PLAINTEXT_BYTES) {
      throw new IllegalArgumentException(
          "secret: has %d bytes; at most %d are allowed"
              .formatted(plaintext.length, MAX_PLAINTEXT_BYTES));
    }
    KeyScope used = usable(scope);
    ScopeKeys.DataKey key = keys(used).active();
    try {
      byte[] bound = SealedBytes.boundTo(key.id(), used, context);
      return SealedBytes.join(key.id(), used.owner(), key.key().aead().encrypt(plaintext, bound));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot encrypt with AES-256-GCM", e);
    }
  }

  private KeyScope usable(KeyScope scope) {
    if (postponed == null || scope.applicationId() == null || keys(scope).activeIfKnown() != null) {
      return scope;
    }
    postponed.add(scope);
    return scope.environment();
  }

  /**
   * Decrypts; throws {@link SecretUnreadable} if it can never be decrypted, {@link
   * MasterKeyUnavailable} if a retry may help.
   */
  public byte[] open(String environmentId, byte[] sealed, byte[] context) {
    SealedBytes.Head head = SealedBytes.head(sealed);
    KeyScope scope = head.scope(environmentId);
    Aead aead = keys(scope).get(head.dataKey()).aead();
    try {
      return aead.decrypt(
          SealedBytes.ciphertext(sealed, head),
          SealedBytes.boundTo(head.dataKey(), scope, context));
    } catch (GeneralSecurityException e) {
      throw new SecretUnreadable(
          SecretUnreadable.Reason.NOT_AUTHENTIC,
          "a stored secret of "
              + scope
              + " cannot be decrypted because its row was changed or moved; set the secret again",
          e);
    }
  }

  /**
   * A message authentication code, and the data key that it can be computed with again.
   *
   * @param mac 32 bytes of HMAC-SHA256
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  public record Tag(Id dataKey, byte[] mac) {}

  /**
   * Authenticates the input with a key that is derived from a data key of the scope: nobody without
   * the data key can compute it, and nothing of it needs to be stored.
   *
   * @param dataKey as in an earlier tag of this input; null for the active one
   * @param purpose a short name of what the tag is for: the same input has another tag elsewhere
   */
  public Tag tag(KeyScope scope, @Nullable Id dataKey, String purpose, byte[] input) {
    byte[] name = purpose.getBytes(StandardCharsets.UTF_8);
    if (dataKey != null) {
      return new Tag(dataKey, keys(scope).get(dataKey).tag(name, input));
    }
    ScopeKeys.DataKey active = keys(scope).active();
    return new Tag(active.id(), active.key().tag(name, input));
  }

  /** Whether the secret is encrypted with a data key of the environment. */
  public static boolean isOfEnvironment(byte[] sealed) {
    return SealedBytes.head(sealed).applicationId() == null;
  }

  /**
   * Gives the scope a new data key that this instance encrypts with from now on; older secrets stay
   * readable.
   */
  public Id rotateDataKey(KeyScope scope) {
    return keys(scope).rotate();
  }

  /** Removes the data keys of a deleted application from memory. */
  public void forget(ApplicationId applicationId) {
    scopes.keySet().removeIf(scope -> applicationId.equals(scope.applicationId()));
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
      rewrapped += rewrapAll(fresh.id(), both, left);
      if (left.isEmpty() || pass == MAX_ROTATION_PASSES) {
        return new MasterRotation(rewrapped, left);
      }
    }
  }

  /**
   * @param left gets the keys that still need the old master key
   */
  private int rewrapAll(String freshId, Masters both, List<Id> left) {
    int rewrapped = 0;
    List<WrappedDataKey> page = store.withOtherMaster(freshId, Id.ZERO, ROTATION_PAGE);
    while (!page.isEmpty()) {
      for (WrappedDataKey stored : page) {
        if (rewrap(stored, both)) {
          rewrapped++;
        } else {
          left.add(stored.id());
        }
      }
      page = store.withOtherMaster(freshId, page.getLast().id(), ROTATION_PAGE);
    }
    return rewrapped;
  }

  /**
   * Master keys that stored data keys need and that this process does not have; reported at start.
   */
  public Set<String> missingMasters() {
    Set<String> missing = new HashSet<>(store.masterKeyIds());
    missing.removeAll(maker.masters().byId().keySet());
    return missing;
  }

  /** Whether stored data keys are encrypted with that master key, or none is stored yet. */
  public boolean isInUse(String masterKeyId) {
    Set<String> stored = store.masterKeyIds();
    return stored.isEmpty() || stored.contains(masterKeyId);
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

  private ScopeKeys keys(KeyScope scope) {
    ScopeKeys known = scopes.get(scope);
    if (known != null) {
      return known;
    }
    if (scope.applicationId() != null && scopes.size() >= MAX_SCOPES) {
      scopes.keySet().removeIf(other -> other.applicationId() != null);
    }
    return scopes.computeIfAbsent(scope, _ -> new ScopeKeys(maker, scope));
  }

  @Override
  public String toString() {
    return "Keyring[" + maker.masters().current() + "]";
  }
}
