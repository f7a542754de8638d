package dev.postrider.crypto;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * What a data key encrypts the secrets of: an environment, or one of its applications.
 *
 * @param applicationId null for the environment
 */
public record KeyScope(String environmentId, @Nullable ApplicationId applicationId) {
  public static KeyScope ofEnvironment(String environmentId) {
    return new KeyScope(environmentId, null);
  }

  KeyScope environment() {
    return applicationId == null ? this : ofEnvironment(environmentId);
  }

  /** The application as it is stored with a secret; null for the environment. */
  @Nullable Id owner() {
    return applicationId == null ? null : applicationId.value();
  }

  /** For error messages. */
  @Override
  public String toString() {
    return "environment "
        + environmentId
        + (applicationId == null ? "" : ", application " + applicationId);
  }
}
