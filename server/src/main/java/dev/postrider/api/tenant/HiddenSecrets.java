package dev.postrider.api.tenant;

import dev.postrider.api.http.ApiError;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.tenant.Application;

/**
 * The setting {@code hideSecrets} of applications and environments: a secret is in the response to
 * the call that creates it, and in no other. It cannot be switched off: a caller that could do that
 * could then read the secrets.
 */
public final class HiddenSecrets {
  static final String FIELD = "hideSecrets";

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

  /**
   * The setting after a change.
   *
   * @throws InvalidFields if it would be switched off
   */
  static boolean read(Fields fields, boolean before) {
    boolean after = fields.flag(FIELD, before);
    if (before && !after) {
      throw new InvalidFields(
          Problem.inBody(FIELD, "cannot be switched off; rotate a secret to get a new one"));
    }
    return after;
  }
}
