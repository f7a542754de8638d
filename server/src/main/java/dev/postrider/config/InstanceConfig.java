package dev.postrider.config;

import java.time.Duration;

/**
 * How instances see each other.
 *
 * @param heartbeat how often an instance says that it lives
 * @param deadAfter how long a heartbeat stands still before the others rescue its leases
 */
public record InstanceConfig(Duration heartbeat, Duration deadAfter) {
  /** One late heartbeat is not a death. */
  private static final int MIN_HEARTBEATS_TO_DEATH = 3;

  public InstanceConfig {
    ServerSettings.HEARTBEAT.check(heartbeat);
    ServerSettings.DEAD_AFTER.check(deadAfter);
    // Not multipliedBy, which loads decimal arithmetic at every start.
    if (deadAfter.toMillis() < MIN_HEARTBEATS_TO_DEATH * heartbeat.toMillis()) {
      throw new ConfigException(
          ServerSettings.DEAD_AFTER.variable()
              + " must be at least "
              + MIN_HEARTBEATS_TO_DEATH
              + " times "
              + ServerSettings.HEARTBEAT.variable()
              + ", so that one late heartbeat is not taken for a death: raise the first or lower"
              + " the second.");
    }
  }

  static InstanceConfig from(Values values) {
    return new InstanceConfig(
        values.get(ServerSettings.HEARTBEAT), values.get(ServerSettings.DEAD_AFTER));
  }
}
