package dev.postrider.options;

import java.time.Duration;

/**
 * The name of this instance, and the intervals of its heartbeat.
 *
 * @param name shown to people in the list of instances, such as the host's name
 * @param heartbeat how often an instance writes its heartbeat
 * @param deadAfter how long an instance may miss heartbeats before the others rescue its leases
 */
public record InstanceOptions(String name, Duration heartbeat, Duration deadAfter) {
  /** One late heartbeat must not make an instance count as dead. */
  public static final int MIN_HEARTBEATS_TO_DEATH = 3;

  public InstanceOptions {
    Require.that(heartbeat.isPositive(), "heartbeat must be positive");
    // Not multipliedBy, which loads decimal arithmetic at every start.
    Require.that(
        deadAfter.toMillis() >= MIN_HEARTBEATS_TO_DEATH * heartbeat.toMillis(),
        "deadAfter must be at least " + MIN_HEARTBEATS_TO_DEATH + " times heartbeat");
  }

  public static InstanceOptions defaults() {
    return new InstanceOptions("localhost", Duration.ofSeconds(5), Duration.ofSeconds(20));
  }
}
