package dev.postrider.api.tenant;

import dev.postrider.api.form.JsonOut;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.tenant.Secrecy;

/** The fields of applications and environments that protect secrets; see {@link Secrecy}. */
final class SecrecyForm {
  static final String HIDE_SECRETS = "hideSecrets";
  static final String OWN_DATA_KEY = "ownDataKey";

  private SecrecyForm() {}

  /**
   * The options after a change.
   *
   * @throws InvalidFields if one would be switched off
   */
  static Secrecy read(Fields fields, Secrecy before) {
    return new Secrecy(
        read(fields, HIDE_SECRETS, before.hideSecrets(), "rotate a secret to get a new one"),
        read(
            fields,
            OWN_DATA_KEY,
            before.ownDataKey(),
            "secrets of the application are encrypted with its own data key"));
  }

  private static boolean read(Fields fields, String name, boolean before, String reason) {
    boolean after = fields.flag(name, before);
    if (before && !after) {
      throw new InvalidFields(Problem.inBody(name, "cannot be switched off; " + reason));
    }
    return after;
  }

  static void write(JsonOut out, Secrecy secrecy) {
    out.flag(HIDE_SECRETS, secrecy.hideSecrets()).flag(OWN_DATA_KEY, secrecy.ownDataKey());
  }
}
