package dev.postrider.api;

/** Tells how this instance is. */
@FunctionalInterface
public interface HealthSource {

  Report now();

  /**
   * @param instance the instance's id as text
   * @param stopping no new work is wanted
   */
  record Report(String instance, boolean databaseReachable, boolean stopping) {
    public boolean ok() {
      return databaseReachable && !stopping;
    }
  }
}
