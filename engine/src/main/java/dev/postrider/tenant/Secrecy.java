package dev.postrider.tenant;

import dev.postrider.json.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How the secrets of an application are protected. An environment has the same options, for all its
 * applications. None can be switched off: a caller that could do that could undo the protection.
 *
 * @param hideSecrets secrets are returned only by the call that creates them
 * @param ownDataKey secrets are encrypted with a data key of the application
 */
public record Secrecy(boolean hideSecrets, boolean ownDataKey) {
  private static final String HIDE_SECRETS = "hideSecrets";
  private static final String OWN_DATA_KEY = "ownDataKey";

  public static final Secrecy NONE = new Secrecy(false, false);

  /** What at least one of the two has. */
  public Secrecy or(Secrecy other) {
    return new Secrecy(hideSecrets || other.hideSecrets, ownDataKey || other.ownDataKey);
  }

  /** Adds what is switched on to the settings. */
  void encode(ObjectNode settings) {
    if (hideSecrets) {
      settings.put(HIDE_SECRETS, true);
    }
    if (ownDataKey) {
      settings.put(OWN_DATA_KEY, true);
    }
  }

  static Secrecy decode(JsonNode settings) {
    return new Secrecy(
        settings.path(HIDE_SECRETS).asBoolean(false), settings.path(OWN_DATA_KEY).asBoolean(false));
  }

  /** The same, and the settings have it no longer. */
  static Secrecy removeFrom(ObjectNode settings) {
    Secrecy found = decode(settings);
    settings.remove(HIDE_SECRETS);
    settings.remove(OWN_DATA_KEY);
    return found;
  }

  /** Quick for settings that have neither. */
  static Secrecy ofText(@Nullable String settings) {
    return settings != null && (settings.contains(HIDE_SECRETS) || settings.contains(OWN_DATA_KEY))
        ? decode(Json.MAPPER.readTree(settings))
        : NONE;
  }
}
