package dev.postrider.crypto;

import dev.postrider.id.Id;
import java.util.List;
import java.util.Set;

/**
 * Stores encrypted data keys, shared by all instances. They are deleted only with their
 * application: old secrets still need old data keys.
 */
public interface DataKeyStore {

  /** All data keys of the scope, in any order; of an environment without those of applications. */
  List<WrappedDataKey> load(KeyScope scope);

  /** Stores the key unless its id is taken; either way, what is now stored under that id. */
  WrappedDataKey insertIfAbsent(WrappedDataKey key);

  /** The ids of the master keys that data keys are encrypted with. */
  Set<String> masterKeyIds();

  /**
   * Data keys of all scopes that are encrypted with another master key than that, in the order of
   * their ids.
   *
   * @param after only ids that are greater
   */
  List<WrappedDataKey> withOtherMaster(String masterKeyId, Id after, int limit);

  /**
   * Replaces {@code old} by {@code fresh} (same id) if master key id and encrypted bytes are still
   * those of {@code old}; false if they are not.
   */
  boolean replace(WrappedDataKey old, WrappedDataKey fresh);
}
