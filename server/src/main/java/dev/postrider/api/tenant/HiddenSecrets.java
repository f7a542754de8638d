package dev.postrider.api.tenant;

import dev.postrider.api.http.ApiError;
import dev.postrider.tenant.Application;

/**
 * The setting {@code hideSecrets} of applications and environments: a secret is in the response to
 * the call that creates it, and in no other.
 */
public final class HiddenSecrets {
  private HiddenSecrets() {}

  /** For a call that would return an existing secret. */
  public static void refuseIfHidden(Application application) {
    if (application.hidesSecrets()) {
      throw new ApiError(
          403,
          "secret_hidden",
          "the secrets of this application are not shown again (hideSecrets); rotate the secret to"
              + " get a new one");
    }
  }
}
