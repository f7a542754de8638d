package dev.postrider.inbound.verify;

import dev.postrider.inbound.InboundRequest;
import dev.postrider.inbound.source.SourceSecret;
import java.util.List;

/** Judges requests by one scheme, as one source has set it up. */
public interface Verifier {

  /** More live secrets than any rotation needs are not tried: each costs a signature. */
  int MAX_SECRETS = 8;

  /** More signatures in one request than any rotation needs are not looked at. */
  int MAX_SIGNATURES = 16;

  /**
   * Pure but for the certificates of SNS.
   *
   * @param secrets the live ones, newest first; several during a rotation
   */
  Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs);

  /** Whether a source of this scheme must have a secret before it can accept anything. */
  default boolean needsSecret() {
    return true;
  }

  /**
   * Throws an IllegalArgumentException if the secret is not of the form that the scheme needs: at
   * configuration time, so that no request has to find out.
   */
  default void checkSecret(SourceSecret secret) {}
}
