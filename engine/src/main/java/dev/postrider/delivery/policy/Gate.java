package dev.postrider.delivery.policy;

/** Whether a lane lets deliveries out now. */
public sealed interface Gate {
  Gate FREE = new Free();
  Gate PROBE = new Probe();

  /** As many as cap, throttle and order allow. */
  record Free() implements Gate {}

  /**
   * Exactly one over all instances; whoever claims it sets the lane's probe in the same
   * transaction.
   */
  record Probe() implements Gate {}

  /**
   * None before that time.
   *
   * @param untilMs {@link #WHEN_PROBED} while the probe is under way: its finish, release or rescue
   *     opens the gate, no time does
   */
  record Parked(long untilMs) implements Gate {
    public static final long WHEN_PROBED = Long.MAX_VALUE;
  }
}
