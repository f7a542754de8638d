package dev.postrider.delivery.policy;

/** Whether a lane allows deliveries now. */
public sealed interface Gate {
  Gate FREE = new Free();
  Gate PROBE = new Probe();

  /** As many as cap, throttle and order allow. */
  record Free() implements Gate {}

  /**
   * Exactly one over all instances; the instance that claims it sets the probe of the lane in the
   * same transaction.
   */
  record Probe() implements Gate {}

  /**
   * None before that time.
   *
   * @param untilMs {@link #WHEN_PROBED} while the probe is in progress: its finish, release or
   *     rescue opens the gate
   */
  record Parked(long untilMs) implements Gate {
    public static final long WHEN_PROBED = Long.MAX_VALUE;
  }
}
