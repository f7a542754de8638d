package dev.postrider.api.ops;

import org.jspecify.annotations.Nullable;

/** Tells how this instance is. */
@FunctionalInterface
public interface HealthSource {

  Report now();

  /**
   * @param instance the instance's id as text
   * @param stopping no new work is wanted
   * @param refusing why work is refused although the database answers; null if it is not
   */
  record Report(
      String instance, boolean databaseReachable, boolean stopping, @Nullable String refusing) {
    public boolean ok() {
      return reason() == null;
    }

    /** What is wrong, or null. */
    public @Nullable String reason() {
      if (stopping) {
        return "the server is stopping";
      }
      return databaseReachable ? refusing : "the database is unavailable";
    }
  }
}
