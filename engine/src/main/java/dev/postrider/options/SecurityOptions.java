package dev.postrider.options;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keys, and where deliveries may go.
 *
 * @param previousMasterKey still opens what it wrapped, during a change of the master key
 * @param allowTargets addresses and CIDRs that the address guard lets pass
 * @param requireHttps refuse http:// outside of {@code allowTargets}
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
