package dev.postrider.api.ops;

import dev.postrider.configfile.remote.RemoteState;
import org.jspecify.annotations.Nullable;

/** Reports the health of this instance. */
@FunctionalInterface
public interface HealthSource {

  Report now();

  /**
   * The deliveries of all instances that are not finished, as of the last reading.
   *
   * @param oldestSeconds age of the oldest waiting delivery; 0 if none waits
   * @param approximated counting stopped at its limit, so there may be more
   */
  record OpenDeliveries(
      int waiting, long oldestSeconds, int deadLetters, boolean approximated, long measuredAtMs) {}

  /**
   * The health of an instance.
   *
   * @param instance the instance's id as text
   * @param stopping no new work is accepted
   * @param refusing why messages are rejected although the database is available; null if they are
   *     not
   * @param configuration the state of a configuration file at a URL; null if there is none
   * @param open the deliveries that are not finished; null if they were not counted yet
   */
  record Report(
      String instance,
      boolean databaseReachable,
      boolean stopping,
      @Nullable String refusing,
      @Nullable RemoteState configuration,
      @Nullable OpenDeliveries open) {
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
