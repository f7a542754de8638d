package dev.postrider.delivery.policy;

/**
 * The state of a lane (the queue of one endpoint) for claims: whether its deliveries may be claimed
 * now.
 */
public sealed interface Gate {
  Gate FREE = new Free();
  Gate PROBE = new Probe();

  /** Deliveries may be claimed, as many as the in-flight cap, the throttle and the order allow. */
  record Free() implements Gate {}

  /**
   * The circuit is half-open: exactly one delivery over all instances may be claimed, as the probe.
   * The instance that claims it stores it as the probe of the lane in the same transaction.
   */
  record Probe() implements Gate {}

  /**
   * No delivery may be claimed before this time.
   *
   * @param untilMs {@link #WHEN_PROBED} while the probe is in progress: its finish, release or
   *     rescue opens the gate
   */
  record Parked(long untilMs) implements Gate {
    public static final long WHEN_PROBED = Long.MAX_VALUE;
  }
}
