package dev.postrider.message;

import dev.postrider.id.Id;
import dev.postrider.storage.Transactions;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Requests of workflow steps, sent by the delivery engine: with the lanes, leases, limits and
 * attempts of deliveries. The owner of the steps runs the transactions, so that a result, what
 * follows from it and the next requests are one commit:
 *
 * <ol>
 *   <li>{@link #admit}, before the transaction: takes places and fixes leases
 *   <li>in the transaction: {@link #settle}, then the owner's own rows, last {@link #insert}
 *   <li>after the commit {@link #committed}, or {@link #rolledBack}
 * </ol>
 */
public interface StepCalls {
  /**
   * What follows from an answer.
   *
   * @param retryDelayMs null if the request is over: then its row is deleted
   */
  record End(StepAnswer answer, @Nullable Long retryDelayMs) {}

  /**
   * What was written of an answer.
   *
   * @param held false if the lease had ended, so that nothing was written: the answer is of no
   *     effect, another instance sends the request again
   * @param retryAtMs when it is sent again: not before its lane allows it; null if it is over
   */
  record Ended(StepAnswer answer, boolean held, @Nullable Long retryAtMs) {}

  /** What had happened to a request that is given up. All but the last one are deleted. */
  enum Withdrawn {
    /** It was never sent. */
    UNTRIED,
    /** Its last attempt got a response. */
    ANSWERED,
    /** Its last attempt got none, or its outcome is unknown: it may have arrived. */
    NO_ANSWER,
    /** It is being sent, and its answer is still to come. */
    IN_FLIGHT
  }

  /** By the ids of the requests. */
  record Settled(Map<Id, Ended> ended, Map<Id, Withdrawn> withdrawn) {
    public static final Settled NOTHING = new Settled(Map.of(), Map.of());
  }

  /** Requests with their places and leases. */
  interface Batch {
    List<NewStepCall> calls();
  }

  /** The transactions of the owner, used by one thread at a time. */
  Transactions transactions();

  Batch admit(List<NewStepCall> calls);

  /**
   * Ends leases, and gives requests up. Locks all deliveries in the order of their ids, then the
   * lanes that change, in the order of theirs.
   *
   * @param withdrawn not among {@code ends}
   */
  Settled settle(Handle handle, List<End> ends, Collection<StepCall> withdrawn);

  /**
   * Writes requests: leased to this instance, or pending where the lane is not free.
   *
   * @param wanted the others of the batch are not written
   */
  void insert(Handle handle, Batch batch, Predicate<StepCall> wanted);

  /** Sends what was leased, frees the places of what ended, and reports it. */
  void committed(Batch batch, Collection<Ended> ended);

  /** Nothing was written: frees the places of the batch. The answers are still to be settled. */
  void rolledBack(Batch batch);
}
