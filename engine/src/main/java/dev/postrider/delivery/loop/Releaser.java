package dev.postrider.delivery.loop;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.lane.Lanes;

/** Ends leases unsent: no attempt is spent. */
public final class Releaser implements Sender.Releases {
  private final Finisher finisher;
  private final Lanes lanes;
  private final UnsettledLeases unsettled;

  public Releaser(Finisher finisher, Lanes lanes, UnsettledLeases unsettled) {
    this.finisher = finisher;
    this.lanes = lanes;
    this.unsettled = unsettled;
  }

  @Override
  public void release(Delivery delivery, long nextAttemptAtMs) {
    finisher.add(new Outcome.Released(delivery, nextAttemptAtMs));
  }

  @Override
  public void drop(Delivery delivery) {
    unsettled.abandon(delivery.ref());
    delivery.lane().release(delivery.id(), delivery.number());
    leave(delivery);
  }

  /**
   * Still held in memory too, otherwise reconciling would release it as if it had not been sent.
   */
  @Override
  public void leave(Delivery delivery) {
    lanes.room().leaseEnded(delivery.lane(), delivery.sizeInBytes());
  }
}
