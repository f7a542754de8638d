package dev.postrider.delivery.accept;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.Targets;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.Id;
import dev.postrider.message.MessageStarts;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.BatchQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One message in a batch, and the caller that waits for it. All ids are fixed before it joins, so a
 * retry writes the same rows.
 */
final class PendingAccept implements BatchQueue.Sized {

  /** The result of the commit for this message. */
  sealed interface CommitResult {
    record Committed() implements CommitResult {}

    /**
     * The application's routing has changed since the caller read it. Nothing was written; the
     * caller reads it again and retries.
     */
    record Stale() implements CommitResult {}

    /**
     * The key was used before, for this message.
     *
     * @param batch all messages of that use in their order, if it was a batch; else empty
     */
    record Replay(Id messageId, List<Id> batch) implements CommitResult {}

    record KeyReused() implements CommitResult {}

    record EventIdTaken(Id messageId) implements CommitResult {}

    record Invalid(String why) implements CommitResult {}

    record Unavailable(String why) implements CommitResult {}
  }

  final NewMessage message;
  final Routing routing;
  final Id applicationId;
  final Id messageId;
  final int routingVersion;

  /** The runs of workflows that it starts. */
  final List<MessageStarts.Start> starts;

  private final Thread caller = Thread.currentThread();
  private final Deduplication deduplication;
  private final Set<Id> duplicates = new HashSet<>();
  private List<NewDelivery> deliveries;
  private volatile @Nullable CommitResult commit;
  private boolean continues;

  /** The messages of its batch, which are accepted all or none; null if it is not in one. */
  private @Nullable List<PendingAccept> group;

  private @Nullable LeaseBatch leaseBatch;

  PendingAccept(
      NewMessage message,
      Routing routing,
      Id messageId,
      List<NewDelivery> deliveries,
      Deduplication deduplication,
      List<MessageStarts.Start> starts) {
    this.message = message;
    this.routing = routing;
    this.applicationId = routing.applicationId();
    this.messageId = messageId;
    this.routingVersion = routing.version();
    this.deliveries = deliveries;
    this.deduplication = deduplication;
    this.starts = starts;
  }

  /**
   * The keys of deliveries to endpoints and queues that deduplicate.
   *
   * @param keys by delivery
   * @param untilMs when they expire; null means that the window of the server applies
   */
  record Deduplication(Map<Id, Id> keys, @Nullable Long untilMs) {
    static final Deduplication NONE = new Deduplication(Map.of(), null);
  }

  boolean deduplicates() {
    return !deduplication.keys().isEmpty();
  }

  /** Null if its endpoint or queue does not deduplicate the message. */
  @Nullable Id laneKey(NewDelivery delivery) {
    return deduplication.keys().get(delivery.id());
  }

  long laneKeysUntilMs(long byDefaultMs) {
    Long own = deduplication.untilMs();
    return own == null ? byDefaultMs : own;
  }

  /** Before each run that writes it. */
  void forgetDuplicates() {
    duplicates.clear();
  }

  /** The delivery was not inserted: its endpoint or queue has got the same key before. */
  void duplicate(NewDelivery delivery) {
    duplicates.add(delivery.id());
  }

  /** The deliveries that were committed. */
  List<NewDelivery> committed() {
    return duplicates.isEmpty()
        ? deliveries
        : deliveries.stream().filter(delivery -> !duplicates.contains(delivery.id())).toList();
  }

  /** These are accepted all or none; they join the queue together. */
  static void together(List<PendingAccept> batch) {
    batch.forEach(pending -> pending.group = batch);
  }

  /** Those that are accepted with it or not at all: itself, or its batch. */
  List<PendingAccept> group() {
    return group == null ? List.of(this) : group;
  }

  /** The same message by itself, without a key and without deliveries. */
  PendingAccept alone() {
    return new PendingAccept(
        message.withKey(null), routing, messageId, List.of(), Deduplication.NONE, List.of());
  }

  /** Whether it is the first message of its batch, or not in one. */
  boolean leads() {
    return group == null || group.getFirst() == this;
  }

  /** Whether it is the last message of its batch, or not in one. */
  boolean endsGroup() {
    return group == null || group.getLast() == this;
  }

  /** The first message of its batch; null if it is not in one. */
  @Nullable Id groupId() {
    return group == null ? null : group.getFirst().messageId;
  }

  /** What is stored with the key of a batch, at its first message: the ids of all. */
  byte @Nullable [] groupIds() {
    return group == null || !leads()
        ? null
        : Targets.encode(group.stream().map(pending -> pending.messageId).toList());
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

  /** Set by the accept loop, before the first run: the caller reads them after the result. */
  void planned(List<NewDelivery> planned) {
    deliveries = planned;
  }

  /** Set by the accept loop: the leases of its deliveries without a row. */
  void leasedIn(@Nullable LeaseBatch leases) {
    leaseBatch = leases;
  }

  @Nullable LeaseBatch leaseBatch() {
    return leaseBatch;
  }

  /** How many of its deliveries have no row. */
  int rowless() {
    int rowless = 0;
    for (NewDelivery delivery : deliveries) {
      rowless += delivery.rowless() ? 1 : 0;
    }
    return rowless;
  }

  /** The lanes of its deliveries without a row, as the message stores them. */
  byte @Nullable [] targets() {
    List<Id> lanes = new ArrayList<>(deliveries.size());
    for (NewDelivery delivery : deliveries) {
      if (delivery.rowless()) {
        lanes.add(delivery.laneId());
      }
    }
    return Targets.encode(lanes);
  }

  @Override
  public boolean continues() {
    return continues;
  }

  /** The next message goes into the same commit. */
  void continueWithNext() {
    continues = true;
  }

  /** The first result counts: an error after a commit must not turn it into a rejection. */
  void settle(CommitResult settled) {
    if (commit == null) {
      commit = settled;
      LockSupport.unpark(caller);
    }
  }

  CommitResult await() {
    boolean interrupted = false;
    CommitResult settled;
    while ((settled = commit) == null) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return settled;
  }
}
