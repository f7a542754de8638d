package dev.postrider.api.ops;

import dev.postrider.configfile.remote.RemoteState;
import org.jspecify.annotations.Nullable;

/** Reports the health of this instance. */
@FunctionalInterface
public interface HealthSource {

  Report now();

  /**
   * The health of an instance.
   *
   * @param instance the instance's id as text
   * @param stopping no new work is accepted
   * @param refusing why messages are rejected although the database is available; null if they are
   *     not
   * @param configuration the state of a configuration file at a URL; null if there is none
   */
  record Report(
      String instance,
      boolean databaseReachable,
      boolean stopping,
      @Nullable String refusing,
      @Nullable RemoteState configuration) {
    public boolean ok() {
      return reason() == null;
    }

    /** The problem, or null. */
    public @Nullable String reason() {
      if (stopping) {
        return "the server is stopping";
      }
      return databaseReachable ? refusing : "the database is unavailable";
    }
  }
}
