package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import java.util.List;

/** Verifies requests with one scheme, as configured for one source. */
public interface Verifier {

  /** Maximum number of active secrets that are tried: each costs a signature. */
  int MAX_SECRETS = 8;

  /** Maximum number of signatures in one request that are checked. */
  int MAX_SIGNATURES = 16;

  /**
   * Pure but for the certificates of SNS.
   *
   * @param secrets the active ones, newest first; several during a rotation
   */
  Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs);

  /** Whether a source of this scheme must have a secret before it can accept anything. */
  default boolean needsSecret() {
    return true;
  }

  /**
   * Throws an IllegalArgumentException if the secret does not have the format of the scheme: at
   * configuration time, not at the first request.
   */
  default void checkSecret(SourceSecret secret) {}
}
