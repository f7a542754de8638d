package dev.postrider.tenant;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a caller decides about an application.
 *
 * @param uid the caller's own name for it, unique in the environment
 * @param throttleRate deliveries per second over all its endpoints
 * @param active an inactive application's sends are refused and its queue waits
 */
public record ApplicationSpec(
    @Nullable String uid,
    String name,
    Map<String, String> metadata,
    @Nullable Integer throttleRate,
    boolean active,
    ApplicationSettings settings) {

  public static ApplicationSpec named(@Nullable String uid, String name) {
    return new ApplicationSpec(uid, name, Map.of(), null, true, ApplicationSettings.NONE);
  }

  public ApplicationSpec with(ApplicationSettings other) {
    return new ApplicationSpec(uid, name, metadata, throttleRate, active, other);
  }
}
