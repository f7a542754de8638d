package dev.postrider.delivery.lane;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many leases of an application may be in hand: taken, and neither at their receivers nor
 * recorded. Active applications share the capacity of this instance equally; a single one gets all
 * of it. The methods with a {@link Tenant} are called under its lock.
 */
final class InHand {
  /** An application that took a slot within this time is active. */
  private static final long ACTIVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long COUNT_ACTIVE_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final boolean limited;

  /** Guarded by the lock of those who take. */
  private long countedActiveNanos;

  private volatile int most = LaneRoom.BEHIND;
  private volatile @Nullable Runnable onFree;

  /**
   * @param limited false if an application may take all there is
   */
  InHand(boolean limited, long nowNanos) {
    this.limited = limited;
    this.countedActiveNanos = nowNanos;
  }

  void onFree(Runnable listener) {
    onFree = listener;
  }

  void countActive(Collection<Tenant> tenants, long nowNanos) {
    if (nowNanos - countedActiveNanos < COUNT_ACTIVE_EVERY_NANOS) {
      return;
    }
    countedActiveNanos = nowNanos;
    int active = 0;
    for (Tenant tenant : tenants) {
      active += nowNanos - tenant.tookNanos < ACTIVE_NANOS ? 1 : 0;
    }
    most = Math.max(LaneRoom.MIN_IN_HAND, LaneRoom.BEHIND / Math.max(1, active));
  }

  /** Twice the limit of claims: claiming from the table costs more. */
  boolean mayLeaseAtInsert(Tenant tenant) {
    return more(tenant, 2) > 0;
  }

  /** Nothing until half of it is free again: a claim for each free slot would cost too much. */
  int moreToClaim(Tenant tenant) {
    int more = more(tenant, 1);
    if (more == 0) {
      tenant.waitsForHand = true;
    } else if (isHalfFree(tenant)) {
      tenant.waitsForHand = false;
    }
    return tenant.waitsForHand ? 0 : more;
  }

  private int more(Tenant tenant, int parts) {
    return limited ? Math.max(0, parts * most - tenant.inHand()) : Integer.MAX_VALUE;
  }

  private boolean isHalfFree(Tenant tenant) {
    return tenant.inHand() <= most / 2;
  }

  /** The application has less in hand. */
  void less(Tenant tenant) {
    if (tenant.waitsForHand && isHalfFree(tenant)) {
      tenant.waitsForHand = false;
      Runnable listener = onFree;
      if (listener != null) {
        listener.run();
      }
    }
  }
}
