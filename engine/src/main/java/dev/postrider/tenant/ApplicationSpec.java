package dev.postrider.tenant;

import dev.postrider.json.ObjectRule;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an application that callers set.
 *
 * @param uid the id that the caller has chosen, unique in the environment
 * @param throttleRate deliveries per second over all its endpoints
 * @param active messages of an inactive application are rejected and its deliveries wait
 */
public record ApplicationSpec(
    @Nullable String uid,
    String name,
    String metadata,
    @Nullable Integer throttleRate,
    boolean active,
    ApplicationSettings settings) {

  public static ApplicationSpec named(@Nullable String uid, String name) {
    return new ApplicationSpec(uid, name, ObjectRule.EMPTY, null, true, ApplicationSettings.NONE);
  }

  public ApplicationSpec with(ApplicationSettings other) {
    return new ApplicationSpec(uid, name, metadata, throttleRate, active, other);
  }
}
