package dev.postrider.message;

import dev.postrider.delivery.Birth;
import dev.postrider.id.Id;
import dev.postrider.storage.BatchQueue;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One message in a batch, and the caller that waits for it. All ids are fixed before it joins, so a
 * re-run writes the same.
 */
final class Admission implements BatchQueue.Sized {

  /** What the commit did with this message. */
  sealed interface Fate {
    record Committed() implements Fate {}

    /** The routing has changed since the caller looked; nothing was written. */
    record Stale() implements Fate {}

    record Replay(Id messageId) implements Fate {}

    record KeyReused() implements Fate {}

    record EventIdTaken(Id messageId) implements Fate {}

    record Invalid(String why) implements Fate {}

    record Away(String why) implements Fate {}
  }

  final NewMessage message;
  final Id applicationId;
  final Id messageId;
  final int routingVersion;
  private final Thread caller = Thread.currentThread();
  private List<NewDelivery> deliveries;
  private volatile @Nullable Fate fate;
  private boolean continues;
  private @Nullable Birth birth;

  Admission(
      NewMessage message,
      Id applicationId,
      Id messageId,
      int routingVersion,
      List<NewDelivery> deliveries) {
    this.message = message;
    this.applicationId = applicationId;
    this.messageId = messageId;
    this.routingVersion = routingVersion;
    this.deliveries = deliveries;
  }

  /** The idempotency key with its scope, or null. */
  @Nullable Id key() {
    NewMessage.IdempotencyKey key = message.key();
    return key == null ? null : key.key();
  }

  @Override
  public int sizeInBytes() {
    return 200 + message.payload().length + deliveries.size() * 120;
  }

  @Override
  public int rows() {
    return Math.max(1, deliveries.size());
  }

  List<NewDelivery> deliveries() {
    return deliveries;
  }

  /** By the accept loop, before the first run: the caller reads them after its fate. */
  void planned(List<NewDelivery> planned) {
    deliveries = planned;
  }

  /**
   * By the accept loop: what holds the leases of its deliveries, as far as they are born leased.
   */
  void bornIn(@Nullable Birth row) {
    birth = row;
  }

  @Nullable Birth birth() {
    return birth;
  }

  int leased() {
    int leased = 0;
    for (NewDelivery delivery : deliveries) {
      leased += delivery.leased() ? 1 : 0;
    }
    return leased;
  }

  @Override
  public boolean continues() {
    return continues;
  }

  /** The next admission goes into the same commit. */
  void continueWithNext() {
    continues = true;
  }

  /** The first fate stands: a fault that comes after a commit must not turn it into a refusal. */
  void settle(Fate settled) {
    if (fate == null) {
      fate = settled;
      LockSupport.unpark(caller);
    }
  }

  Fate await() {
    boolean interrupted = false;
    Fate settled;
    while ((settled = fate) == null) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return settled;
  }
}
