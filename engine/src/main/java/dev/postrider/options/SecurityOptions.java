package dev.postrider.options;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keys, and the allowed targets of deliveries.
 *
 * @param previousMasterKey still decrypts data keys during a rotation of the master key
 * @param allowTargets addresses and CIDRs that the address guard allows
 * @param requireHttps reject http:// outside of {@code allowTargets}
 * @param kmsAccess addresses and credentials of key management services, by the variables that
 *     their own tools use
 */
public record SecurityOptions(
    MasterKeySource masterKey,
    Optional<MasterKeySource> previousMasterKey,
    List<String> allowTargets,
    boolean requireHttps,
    Map<String, Secret> kmsAccess) {
  public SecurityOptions {
    allowTargets = List.copyOf(allowTargets);
    kmsAccess = Map.copyOf(kmsAccess);
  }

  /** Public addresses only, by HTTPS. */
  public static SecurityOptions of(MasterKeySource masterKey) {
    return new SecurityOptions(masterKey, Optional.empty(), List.of(), true, Map.of());
  }
}
