package dev.postrider.delivery.accept;

import static java.util.Objects.requireNonNull;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LeaseBatch;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.accept.PendingAccept.CommitResult;
import dev.postrider.delivery.lane.Lane;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.BatchResult;
import dev.postrider.message.MessageBatch;
import dev.postrider.message.MessageStarts;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.DatabaseUnavailable;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Accepts messages. The thread of the caller checks the message and decides which endpoints get it;
 * the messages of many callers are committed in one batch; deliveries that the batch leased to this
 * instance are then passed to {@code Sender}.
 */
public final class GroupCommit implements Acceptor {
  /** How often a caller whose routing keeps changing retries before it is rejected. */
  static final int MAX_ROUNDS = 20;

  static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final System.Logger LOG = System.getLogger(GroupCommit.class.getName());

  /**
   * Receives the deliveries of committed messages, to send them or to announce them to other
   * instances.
   */
  public interface HandOver {
    /** Leased at insert: to be sent now. */
    void leasedAtInsert(Delivery leased);

    /** A delivery waits in a queue until it is received. */
    void waitsForReader();

    /** Deliveries are pending that other instances should know of. */
    void leftForOthers();

    /** These runs of workflows are to be started. */
    default void started(List<MessageStarts.Start> starts) {}

    /** A message was committed, with a delivery on each of these lanes. */
    default void accepted(Id applicationId, Id messageId, String eventType, List<Id> lanes) {}
  }

  private final RoutingCache routings;
  private final FanOut fanOut;
  private final AcceptLoop loop;
  private final InsertClaims insertClaims;
  private final HandOver handOver;
  private final Ids ids;
  private final CommitWatermark watermark;
  private final AcceptRateLimiter paces;

  public GroupCommit(
      RoutingCache routings,
      FanOut fanOut,
      AcceptLoop loop,
      InsertClaims insertClaims,
      HandOver handOver,
      Ids ids,
      CommitWatermark watermark,
      AcceptRateLimiter paces) {
    this.routings = routings;
    this.fanOut = fanOut;
    this.loop = loop;
    this.insertClaims = insertClaims;
    this.handOver = handOver;
    this.ids = ids;
    this.watermark = watermark;
    this.paces = paces;
  }

  @Override
  public boolean isFull() {
    return loop.isFull();
  }

  @Override
  public AcceptResult accept(NewMessage message) {
    return acceptAll(List.of(message)).getFirst();
  }

  @Override
  public List<AcceptResult> acceptAll(List<NewMessage> messages) {
    try (CommitWatermark.Span span = watermark.begin()) {
      List<AcceptCall> attempts = new ArrayList<>(messages.size());
      List<AcceptResult> results = acceptAll(messages, attempts);
      boolean doubtful = false;
      for (AcceptCall call : attempts) {
        doubtful |= call.doubtful;
      }
      if (!doubtful) {
        span.settled();
      }
      return results;
    }
  }

  private List<AcceptResult> acceptAll(List<NewMessage> messages, List<AcceptCall> attempts) {
    for (NewMessage message : messages) {
      AcceptCall call = new AcceptCall(message, ids.next());
      attempts.add(call);
      call.plan(false);
    }
    List<AcceptCall> waiting = attempts;
    do {
      enter(waiting);
      waiting = stale(waiting);
      for (AcceptCall call : waiting) {
        call.plan(true);
      }
    } while (!waiting.isEmpty());
    List<AcceptResult> results = new ArrayList<>(messages.size());
    for (AcceptCall call : attempts) {
      results.add(call.result());
    }
    return results;
  }

  @Override
  public BatchResult acceptBatch(MessageBatch batch) {
    try (CommitWatermark.Span span = watermark.begin()) {
      List<AcceptCall> calls = new ArrayList<>(batch.messages().size());
      for (NewMessage message : batch.messages()) {
        AcceptCall call = new AcceptCall(message.withKey(batch.key()), ids.next());
        call.counted = calls.isEmpty() ? batch.messages().size() : 0;
        calls.add(call);
      }
      BatchResult result = acceptTogether(calls);
      if (calls.stream().noneMatch(call -> call.doubtful)) {
        span.settled();
      }
      return result;
    }
  }

  private BatchResult acceptTogether(List<AcceptCall> calls) {
    AcceptCall repeated = repeatedEventId(calls);
    if (repeated != null) {
      return new BatchResult.Refused(
          calls.indexOf(repeated),
          new AcceptResult.Invalid("another message of the batch has the same eventId"));
    }
    for (int round = 1; round <= MAX_ROUNDS; round++) {
      for (AcceptCall call : calls) {
        call.plan(round > 1);
      }
      BatchResult.Refused refused = refusal(calls);
      if (refused != null) {
        return refused;
      }
      if (!ofOneRouting(calls)) {
        continue; // changed while they were planned
      }
      PendingAccept.together(calls.stream().map(call -> requireNonNull(call.pending)).toList());
      enter(calls);
      calls.forEach(AcceptCall::isStale);
      refused = refusal(calls);
      if (refused != null) {
        return refused;
      }
      if (calls.getFirst().settled instanceof AcceptResult.Accepted accepted) {
        return accepted(calls, accepted);
      }
    }
    return new BatchResult.Refused(
        BatchResult.Refused.WHOLE,
        new AcceptResult.Refused(
            "the endpoints of the application are being changed; try again", RETRY_AFTER));
  }

  private static BatchResult accepted(List<AcceptCall> calls, AcceptResult.Accepted first) {
    AcceptCall leader = calls.getFirst();
    List<MessageId> ids =
        first.replayed()
            ? leader.replayed.stream().map(MessageId::new).toList()
            : calls.stream().map(call -> new MessageId(call.messageId)).toList();
    return new BatchResult.Accepted(
        ids, first.replayed(), Collections.nCopies(ids.size(), List.of()));
  }

  /** Why none of them was accepted; null if none was refused. */
  private static BatchResult.@Nullable Refused refusal(List<AcceptCall> calls) {
    BatchResult.Refused found = null;
    for (int i = 0; i < calls.size(); i++) {
      AcceptResult settled = calls.get(i).settled;
      if (settled == null || settled instanceof AcceptResult.Accepted) {
        continue;
      }
      if (!ofItem(settled)) {
        return new BatchResult.Refused(BatchResult.Refused.WHOLE, settled);
      }
      found = found == null ? new BatchResult.Refused(i, settled) : found;
    }
    return found;
  }

  /** Whether the reason is one message, not the call. */
  private static boolean ofItem(AcceptResult refused) {
    return switch (refused) {
      case AcceptResult.EventIdTaken _,
          AcceptResult.TooLarge _,
          AcceptResult.Unfit _,
          AcceptResult.Invalid _ ->
          true;
      case AcceptResult.Accepted _,
          AcceptResult.NoSuchApplication _,
          AcceptResult.ApplicationInactive _,
          AcceptResult.KeyReused _,
          AcceptResult.TooMany _,
          AcceptResult.Refused _ ->
          false;
    };
  }

  private static @Nullable AcceptCall repeatedEventId(List<AcceptCall> calls) {
    Set<String> seen = new HashSet<>();
    for (AcceptCall call : calls) {
      String eventId = call.message.eventId();
      if (eventId != null && !seen.add(eventId)) {
        return call;
      }
    }
    return null;
  }

  private static boolean ofOneRouting(List<AcceptCall> calls) {
    PendingAccept first = requireNonNull(calls.getFirst().pending);
    return calls.stream()
        .map(call -> requireNonNull(call.pending))
        .allMatch(
            other ->
                other.applicationId.equals(first.applicationId)
                    && other.routingVersion == first.routingVersion);
  }

  /** Waits for all; those whose routing had changed go into the next round, again together. */
  private static List<AcceptCall> stale(List<AcceptCall> attempts) {
    List<AcceptCall> again = List.of();
    for (AcceptCall call : attempts) {
      if (call.isStale()) {
        again = again.isEmpty() ? new ArrayList<>() : again;
        again.add(call);
      }
    }
    return again;
  }

  /** Joins the batch that is forming, all in one commit or none. */
  private void enter(List<AcceptCall> attempts) {
    List<PendingAccept> admissions = new ArrayList<>(attempts.size());
    for (AcceptCall call : attempts) {
      if (call.pending != null) {
        admissions.add(call.pending);
      }
    }
    String refusal = loop.offer(admissions);
    if (refusal != null) {
      attempts.forEach(call -> call.refused(refusal));
    }
  }

  /**
   * One call of accept. The message keeps its id when the call is repeated because the routing has
   * changed.
   */
  private final class AcceptCall {
    private final NewMessage message;
    private final Id messageId;
    private @Nullable Routing routing;
    private @Nullable PendingAccept pending;
    private @Nullable AcceptResult settled;
    private List<Id> replayed = List.of();

    /** How many messages it counts for in the rate limit: the first of a batch for all. */
    private int counted = 1;

    private int rounds;

    /** It may be committed although its caller got an error. */
    private boolean doubtful;

    AcceptCall(NewMessage message, Id messageId) {
      this.message = message;
      this.messageId = messageId;
    }

    /**
     * Plans with the cached routing, or a reloaded one. Never throws: other messages of the same
     * call may already hold slots.
     */
    void plan(boolean reload) {
      rounds++;
      Routing before = routing;
      try {
        Routing known =
            reload && before != null
                ? routings.reload(message.environmentId(), message.application(), before.version())
                : routings.get(message.environmentId(), message.application());
        // A rejection must not be based on a stale cache either.
        routing =
            known == null || known.active()
                ? known
                : routings.reload(message.environmentId(), message.application(), known.version());
        plan(routing);
      } catch (DatabaseUnavailable e) {
        settled = new AcceptResult.Refused("the database is unavailable", RETRY_AFTER);
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "the deliveries of a message could not be planned", e);
        settled =
            new AcceptResult.Refused("internal error; the message was not accepted", RETRY_AFTER);
      }
    }

    private void plan(@Nullable Routing current) {
      if (current == null) {
        settled = new AcceptResult.NoSuchApplication();
        return;
      }
      AcceptResult refused = Refusals.of(current, message);
      settled = refused == null ? tooFast(current) : refused;
      if (settled == null) {
        pending = fanOut.pending(current, message, messageId);
      }
    }

    /** A message that is retried counts once. */
    private @Nullable AcceptResult tooFast(Routing current) {
      Integer rate = current.settings().requestsPerSecond();
      return rate == null || rounds > 1 || counted == 0
          ? null
          : paces.refuse(current.applicationId(), rate, counted);
    }

    void refused(String why) {
      if (pending != null) {
        pending = null;
        settled = new AcceptResult.Refused(why, RETRY_AFTER);
      }
    }

    /** Waits for the result of this round; true if another round is needed. */
    boolean isStale() {
      PendingAccept waiting = pending;
      if (waiting == null) {
        return false;
      }
      pending = null;
      CommitResult commit = waiting.await();
      if (commit instanceof CommitResult.Committed) {
        handOver(waiting);
        settled =
            AcceptResult.Accepted.first(
                new ApplicationId(waiting.applicationId),
                new MessageId(messageId),
                waiting.committed().size());
        return false;
      }
      insertClaims.giveBack(waiting);
      doubtful |= commit instanceof CommitResult.Unavailable;
      settled =
          switch (commit) {
            case CommitResult.Committed _ -> null;
            case CommitResult.Stale _ ->
                rounds < MAX_ROUNDS
                    ? null
                    : new AcceptResult.Refused(
                        "the endpoints of the application are being changed; try again",
                        RETRY_AFTER);
            case CommitResult.Replay(Id first, List<Id> batch) -> {
              replayed = batch;
              yield meansAnother(waiting)
                  ? null
                  : AcceptResult.Accepted.replay(
                      new ApplicationId(waiting.applicationId), new MessageId(first));
            }
            case CommitResult.KeyReused _ ->
                meansAnother(waiting) ? null : new AcceptResult.KeyReused();
            case CommitResult.EventIdTaken(Id first) ->
                meansAnother(waiting) ? null : new AcceptResult.EventIdTaken(new MessageId(first));
            case CommitResult.Invalid(String why) -> new AcceptResult.Invalid(why);
            case CommitResult.Unavailable(String why) -> new AcceptResult.Refused(why, RETRY_AFTER);
          };
      return settled == null;
    }

    /**
     * Whether the uid belongs to another application meanwhile: messages of the former one do not
     * count.
     */
    private boolean meansAnother(PendingAccept waiting) {
      if (rounds >= MAX_ROUNDS || message.application().startsWith(IdKind.APPLICATION.prefix())) {
        return false;
      }
      try {
        Routing now =
            routings.reload(message.environmentId(), message.application(), waiting.routingVersion);
        return now == null || !now.applicationId().equals(waiting.applicationId);
      } catch (DatabaseUnavailable e) {
        return false;
      }
    }

    AcceptResult result() {
      return settled == null
          ? new AcceptResult.Refused("the message was not accepted", RETRY_AFTER)
          : settled;
    }
  }

  /** After the commit. */
  void handOver(PendingAccept committed) {
    boolean waiting = false;
    List<NewDelivery> deliveries = committed.committed();
    handOver.accepted(
        committed.applicationId,
        committed.messageId,
        committed.message.eventType(),
        deliveries.stream().map(NewDelivery::laneId).toList());
    for (NewDelivery delivery : deliveries) {
      Long leaseUntil = delivery.leaseUntilMs();
      Lane lane = delivery.lane();
      if (leaseUntil != null && lane != null) {
        handOver.leasedAtInsert(leased(committed, delivery, lane, leaseUntil));
      } else if (delivery.pulled()) {
        handOver.waitsForReader();
      } else {
        waiting = true;
        Long due = delivery.nextAttemptAtMs();
        insertClaims.lanes().add(committed.applicationId, delivery.laneId(), due == null ? 0 : due);
      }
    }
    if (!committed.starts.isEmpty()) {
      handOver.started(committed.starts);
    }
    if (waiting && insertClaims.leavesForOthers(committed.applicationId)) {
      handOver.leftForOthers();
    }
  }

  private static Delivery leased(
      PendingAccept committed, NewDelivery delivery, Lane lane, long leaseUntilMs) {
    NewMessage message = committed.message;
    LeaseBatch batch = delivery.rowless() ? committed.leaseBatch() : null;
    return new Delivery(
        new Delivery.Lease(
            new LeaseRef(
                committed.applicationId,
                committed.messageId,
                delivery.id(),
                delivery.laneId(),
                1,
                batch == null ? null : batch.key()),
            leaseUntilMs,
            batch),
        lane,
        new Delivery.Content(
            message.eventType(),
            message.contentType(),
            message.payload(),
            Delivery.Extras.of(
                message.eventId(),
                ForwardedHeaders.ifForwarded(message.headers()),
                message.schedule().maxRetries(),
                delivery.expiresAtMs())),
        delivery.endpointVersion(),
        0,
        false,
        null,
        Long.MAX_VALUE);
  }
}
