package dev.postrider.crypto;

import java.util.List;

/**
 * Stores encrypted data keys, shared by all instances. Nothing is ever deleted: old secrets still
 * need old data keys.
 */
public interface DataKeyStore {

  /** All data keys of the environment, in any order. */
  List<WrappedDataKey> load(String environmentId);

  /** Stores the key unless its id is taken; either way, what is now stored under that id. */
  WrappedDataKey insertIfAbsent(WrappedDataKey key);

  /** The data keys of all environments. */
  List<WrappedDataKey> all();

  /**
   * Replaces {@code old} by {@code fresh} (same id) if master key id and encrypted bytes are still
   * those of {@code old}; false if they are not.
   */
  boolean replace(WrappedDataKey old, WrappedDataKey fresh);
}
