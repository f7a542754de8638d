package dev.postrider.delivery.loop;

import dev.postrider.delivery.AttemptResult;
import dev.postrider.delivery.Leased;
import dev.postrider.delivery.lane.Lanes;

/** Ends leases unsent: no attempt is spent. */
public final class Releaser implements Sender.Releases {
  private final Finisher finisher;
  private final Lanes lanes;

  public Releaser(Finisher finisher, Lanes lanes) {
    this.finisher = finisher;
    this.lanes = lanes;
  }

  @Override
  public void release(Leased leased, long nextAttemptAtMs) {
    finisher.add(AttemptResult.released(leased, nextAttemptAtMs));
  }

  @Override
  public void drop(Leased leased) {
    lanes.held().abandon(leased.ref());
    leave(leased);
  }

  /**
   * Still held in memory too, otherwise reconciling would release it as if it had not been sent.
   */
  @Override
  public void leave(Leased leased) {
    lanes
        .room()
        .leaseEnded(lanes.of(leased.applicationId(), leased.laneId()), leased.sizeInBytes());
  }
}
