package dev.postrider.tenant;

import dev.postrider.crypto.KeyScope;
import dev.postrider.id.ApplicationId;
import java.time.Instant;

/**
 * A tenant, usually a customer, that receives messages.
 *
 * @param secrecy how its secrets are protected, also because its environment says so
 */
public record Application(
    ApplicationId id,
    String environmentId,
    ApplicationSpec spec,
    Secrecy secrecy,
    int routingVersion,
    Instant createdAt,
    Instant updatedAt) {

  public boolean hidesSecrets() {
    return secrecy.hideSecrets();
  }

  /** Which data key its secrets are encrypted with. */
  public KeyScope keyScope() {
    return new KeyScope(environmentId, secrecy.ownDataKey() ? id : null);
  }
}
