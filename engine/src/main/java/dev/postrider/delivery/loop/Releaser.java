package dev.postrider.delivery.loop;

import dev.postrider.delivery.AttemptResult;
import dev.postrider.delivery.Leased;
import dev.postrider.delivery.lane.Held;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;

/** Ends leases unsent: no attempt is spent. */
public final class Releaser implements Sender.Releases {
  private final Finisher finisher;
  private final LaneRoom room;
  private final Held held;

  public Releaser(Finisher finisher, Lanes lanes) {
    this.finisher = finisher;
    this.room = lanes.room();
    this.held = lanes.held();
  }

  @Override
  public void release(Leased leased, long nextAttemptAtMs) {
    finisher.add(AttemptResult.released(leased, nextAttemptAtMs));
  }

  @Override
  public void drop(Leased leased) {
    held.abandon(leased.ref());
    room.leaseEnded(leased.laneId(), leased.sizeInBytes());
  }

  /**
   * Still held in memory too, otherwise reconciling would release it as if it had not been sent.
   */
  @Override
  public void leave(Leased leased) {
    room.leaseEnded(leased.laneId(), leased.sizeInBytes());
  }
}
