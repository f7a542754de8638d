package dev.postrider.options;

import java.time.Duration;

/**
 * The name of this instance, the intervals of its heartbeat, and how it forms batches.
 *
 * @param name shown to people in the list of instances, such as the host's name
 * @param heartbeat how often an instance writes its heartbeat
 * @param deadAfter how long an instance may miss heartbeats before the others rescue its leases
 * @param shardGroups how many groups of applications have batches of their own; for a distributed
 *     PostgreSQL
 */
public record InstanceOptions(
    String name, Duration heartbeat, Duration deadAfter, int shardGroups) {
  /** One late heartbeat must not make an instance count as dead. */
  public static final int MIN_HEARTBEATS_TO_DEATH = 3;

  public static final int MAX_SHARD_GROUPS = 256;

  public InstanceOptions {
    Require.that(
        shardGroups >= 1 && shardGroups <= MAX_SHARD_GROUPS,
        "shardGroups must be between 1 and " + MAX_SHARD_GROUPS);
    Require.that(heartbeat.isPositive(), "heartbeat must be positive");
    // Not multipliedBy, which loads decimal arithmetic at every start.
    Require.that(
        deadAfter.toMillis() >= MIN_HEARTBEATS_TO_DEATH * heartbeat.toMillis(),
        "deadAfter must be at least " + MIN_HEARTBEATS_TO_DEATH + " times heartbeat");
  }

  public static InstanceOptions defaults() {
    return new InstanceOptions("localhost", Duration.ofSeconds(5), Duration.ofSeconds(20), 1);
  }
}
