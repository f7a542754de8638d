package dev.postrider.message;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.LaneBook;
import dev.postrider.delivery.LaneRoom;
import dev.postrider.delivery.Leased;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRoutes;
import dev.postrider.endpoint.Exit;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.Routing;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.message.Admission.Fate;
import dev.postrider.storage.DatabaseAway;
import dev.postrider.storage.Horizon;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts messages: plans on the caller's thread, commits in batches, hands what was born leased to
 * the sender.
 */
public final class GroupCommit implements Acceptor {
  /**
   * How often a caller whose routing keeps changing tries again before it is asked to come back.
   */
  static final int MAX_ROUNDS = 20;

  public static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final System.Logger LOG = System.getLogger(GroupCommit.class.getName());

  /** Where accepted deliveries go on. */
  public interface HandOver {
    /** Leased at birth: to be sent now. */
    void born(Leased leased);

    /** A delivery waits in a queue until it is asked for. */
    void waitsForReader();

    /** Deliveries wait that other instances should know of. */
    void leftForOthers();

    /** A message was committed, with a delivery on each of these lanes. */
    default void accepted(Id applicationId, Id messageId, String eventType, List<Id> lanes) {}
  }

  private final RoutingCache routings;
  private final AcceptLoop loop;
  private final LaneRoom room;
  private final LaneBook book;
  private final HandOver handOver;
  private final Ids ids;
  private final Horizon horizon;
  private final TimeSource time;
  private final AcceptPaces paces;
  private final BirthLeases births;
  private final boolean claimsAtBirth;

  /**
   * @param claimsAtBirth false for an instance that only accepts
   * @param instances how many instances take messages now, with this one
   */
  public GroupCommit(
      RoutingCache routings,
      AcceptLoop loop,
      LaneRoom room,
      LaneBook book,
      HandOver handOver,
      Ids ids,
      Horizon horizon,
      TimeSource time,
      BirthLeases births,
      boolean claimsAtBirth,
      IntSupplier instances) {
    this.routings = routings;
    this.loop = loop;
    this.room = room;
    this.book = book;
    this.handOver = handOver;
    this.ids = ids;
    this.horizon = horizon;
    this.time = time;
    this.paces = new AcceptPaces(instances, time);
    this.births = births;
    this.claimsAtBirth = claimsAtBirth;
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
    try (Horizon.Span span = horizon.begin()) {
      List<Attempt> attempts = new ArrayList<>(messages.size());
      List<AcceptResult> results = acceptAll(messages, attempts);
      boolean doubtful = false;
      for (Attempt attempt : attempts) {
        doubtful |= attempt.doubtful;
      }
      if (!doubtful) {
        span.settled();
      }
      return results;
    }
  }

  private List<AcceptResult> acceptAll(List<NewMessage> messages, List<Attempt> attempts) {
    for (NewMessage message : messages) {
      Attempt attempt = new Attempt(message, ids.next());
      attempts.add(attempt);
      attempt.plan(false);
    }
    List<Attempt> waiting = attempts;
    do {
      enter(waiting);
      waiting = stale(waiting);
      for (Attempt attempt : waiting) {
        attempt.plan(true);
      }
    } while (!waiting.isEmpty());
    List<AcceptResult> results = new ArrayList<>(messages.size());
    for (Attempt attempt : attempts) {
      results.add(attempt.result());
    }
    return results;
  }

  /** Waits for all; those whose routing had changed go into the next round, again together. */
  private static List<Attempt> stale(List<Attempt> attempts) {
    List<Attempt> again = List.of();
    for (Attempt attempt : attempts) {
      if (attempt.isStale()) {
        again = again.isEmpty() ? new ArrayList<>() : again;
        again.add(attempt);
      }
    }
    return again;
  }

  /** Joins the batch that is forming, all in one commit or none. */
  private void enter(List<Attempt> attempts) {
    List<Admission> admissions = new ArrayList<>(attempts.size());
    for (Attempt attempt : attempts) {
      if (attempt.admission != null) {
        admissions.add(attempt.admission);
      }
    }
    String refusal = loop.offer(admissions);
    if (refusal != null) {
      attempts.forEach(attempt -> attempt.turnedAway(refusal));
    }
  }

  /** One message on its way in; its id stays the same over all rounds. */
  private final class Attempt {
    private final NewMessage message;
    private final Id messageId;
    private @Nullable Routing routing;
    private @Nullable Admission admission;
    private @Nullable AcceptResult settled;
    private int rounds;

    /** It may be committed although its caller was told otherwise. */
    private boolean doubtful;

    Attempt(NewMessage message, Id messageId) {
      this.message = message;
      this.messageId = messageId;
    }

    /**
     * Plans with the routing as known, or reloaded. Never throws: neighbours of the same call may
     * hold places already.
     */
    void plan(boolean reload) {
      rounds++;
      Routing before = routing;
      try {
        Routing known =
            reload && before != null
                ? routings.reload(message.environmentId(), message.application(), before.version())
                : routings.get(message.environmentId(), message.application());
        // A refusal must not rest on a stale cache either.
        routing =
            known == null || known.active()
                ? known
                : routings.reload(message.environmentId(), message.application(), known.version());
        plan(routing);
      } catch (DatabaseAway e) {
        settled = new AcceptResult.Refused("the database is away", RETRY_AFTER);
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "a message could not be planned", e);
        settled = new AcceptResult.Refused("an internal fault; nothing was accepted", RETRY_AFTER);
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
        admission =
            new Admission(
                message,
                current.applicationId(),
                messageId,
                current.version(),
                GroupCommit.this.plan(current, message, messageId));
      }
    }

    /** A message that tries again counts once. */
    private @Nullable AcceptResult tooFast(Routing current) {
      Integer rate = current.settings().requestsPerSecond();
      return rate == null || rounds > 1 ? null : paces.refuse(current.applicationId(), rate);
    }

    void turnedAway(String why) {
      if (admission != null) {
        admission = null;
        settled = new AcceptResult.Refused(why, RETRY_AFTER);
      }
    }

    /** Waits for the fate of this round; true if another round is needed. */
    boolean isStale() {
      Admission waiting = admission;
      if (waiting == null) {
        return false;
      }
      admission = null;
      Fate fate = waiting.await();
      if (fate instanceof Fate.Committed) {
        handOver(waiting);
        settled = new AcceptResult.Accepted(waiting.applicationId, messageId, false);
        return false;
      }
      births.giveBack(waiting);
      doubtful |= fate instanceof Fate.Away;
      settled =
          switch (fate) {
            case Fate.Committed _ -> null;
            case Fate.Stale _ ->
                rounds < MAX_ROUNDS
                    ? null
                    : new AcceptResult.Refused(
                        "the application's endpoints keep changing", RETRY_AFTER);
            case Fate.Replay(Id first) ->
                meansAnother(waiting)
                    ? null
                    : new AcceptResult.Accepted(waiting.applicationId, first, true);
            case Fate.KeyReused _ -> meansAnother(waiting) ? null : new AcceptResult.KeyReused();
            case Fate.EventIdTaken(Id first) ->
                meansAnother(waiting) ? null : new AcceptResult.EventIdTaken(first);
            case Fate.Invalid(String why) -> new AcceptResult.Invalid(why);
            case Fate.Away(String why) -> new AcceptResult.Refused(why, RETRY_AFTER);
          };
      return settled == null;
    }

    /**
     * Whether the uid is another application's by now: what the former one was sent says nothing
     * about it.
     */
    private boolean meansAnother(Admission waiting) {
      if (rounds >= MAX_ROUNDS || message.application().startsWith(IdKind.APPLICATION.prefix())) {
        return false;
      }
      try {
        Routing now =
            routings.reload(message.environmentId(), message.application(), waiting.routingVersion);
        return now == null || !now.applicationId().equals(waiting.applicationId);
      } catch (DatabaseAway e) {
        return false;
      }
    }

    AcceptResult result() {
      return settled == null ? new AcceptResult.Refused("not accepted", RETRY_AFTER) : settled;
    }
  }

  /** The deliveries of a message, all waiting as yet. */
  private List<NewDelivery> plan(Routing routing, NewMessage message, Id messageId) {
    List<NewDelivery> deliveries = new ArrayList<>(routing.exits().size());
    long now = time.nowMs();
    Long deliverAt = message.deliverAtMs();
    AgentRoutes.OfMessage routes = routing.routesOf(message.eventType());
    for (Exit exit : routing.exits()) {
      if (!exit.takes(message.eventType(), message.channels())) {
        continue;
      }
      Id id = DeliveryIds.of(messageId, exit.endpointId(), Id.ZERO);
      AgentRoute route = routes.to(exit.endpointId());
      int delay = initialDelay(exit, route);
      long due = Math.max(now, deliverAt == null ? 0 : deliverAt) + delay;
      int birthCap = due <= now && mayBeBornLeased(routing, exit, now) ? cap(exit) : 0;
      deliveries.add(
          new NewDelivery(
              id,
              exit.endpointId(),
              exit.version(),
              birthCap,
              null,
              due,
              exit.ordered(),
              exit.pulled(),
              deliverAt == null ? delay : 0,
              route == null ? null : RoutedTo.of(route, message)));
    }
    return deliveries;
  }

  private static int initialDelay(Exit exit, @Nullable AgentRoute route) {
    int own = exit.initialDelayMs() == null ? 0 : exit.initialDelayMs();
    return route != null && route.profile() == AgentRoute.Profile.AGENT
        ? Math.max(own, AgentRoute.Profile.AGENT_DELAY_MS)
        : own;
  }

  private int cap(Exit exit) {
    int configured = room.configuredCap(exit.maxInFlight() == null ? 0 : exit.maxInFlight());
    return exit.reducedCap() == 0 ? configured : Math.min(exit.reducedCap(), configured);
  }

  /**
   * Only a free lane: closed, unpaused, unthrottled and unordered. Whether something waits there
   * that should go first, and whether there is room, is seen when the batch is formed.
   */
  private boolean mayBeBornLeased(Routing routing, Exit exit, long now) {
    return claimsAtBirth
        && !exit.pulled()
        && exit.circuit() == 0
        && exit.slowUntilMs() <= now
        && !exit.paused()
        && !exit.ordered()
        && exit.throttleRate() == null
        && routing.throttleRate() == null;
  }

  private void handOver(Admission committed) {
    boolean waiting = false;
    handOver.accepted(
        committed.applicationId,
        committed.messageId,
        committed.message.eventType(),
        committed.deliveries().stream().map(NewDelivery::laneId).toList());
    for (NewDelivery delivery : committed.deliveries()) {
      Long leaseUntil = delivery.leaseUntilMs();
      if (leaseUntil != null) {
        handOver.born(leased(committed, delivery, leaseUntil));
      } else if (delivery.pulled()) {
        handOver.waitsForReader();
      } else {
        waiting = true;
        Long due = delivery.nextAttemptAtMs();
        book.add(committed.applicationId, delivery.laneId(), due == null ? 0 : due);
      }
    }
    if (waiting
        && (!claimsAtBirth
            || room.allowance(committed.applicationId) != LaneRoom.Allowance.ALL_LANES)) {
      handOver.leftForOthers();
    }
  }

  private static Leased leased(Admission committed, NewDelivery delivery, long leaseUntilMs) {
    NewMessage message = committed.message;
    return new Leased(
        committed.applicationId,
        delivery.id(),
        committed.messageId,
        delivery.laneId(),
        1,
        leaseUntilMs,
        delivery.endpointVersion(),
        false,
        0,
        message.eventType(),
        message.contentType(),
        message.payload(),
        null,
        Long.MAX_VALUE,
        message.headers() != null && message.headers().contains(ForwardedHeaders.CLOUD_EVENT),
        committed.birth());
  }
}
