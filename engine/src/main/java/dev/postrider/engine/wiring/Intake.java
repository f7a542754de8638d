package dev.postrider.engine.wiring;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.accept.AcceptLoop;
import dev.postrider.delivery.accept.AcceptRateLimiter;
import dev.postrider.delivery.accept.CheckedAcceptor;
import dev.postrider.delivery.accept.FanOut;
import dev.postrider.delivery.accept.GroupCommit;
import dev.postrider.delivery.accept.InsertClaims;
import dev.postrider.delivery.accept.LaneKeys;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.accept.TransactionPublisher;
import dev.postrider.event.EngineEvents;
import dev.postrider.event.PeerChange;
import dev.postrider.eventtype.EventTypeRules;
import dev.postrider.eventtype.EventTypeStore;
import dev.postrider.eventtype.EventTypesChanged;
import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessagePublisher;
import dev.postrider.message.MessageStarts;
import dev.postrider.options.AcceptOptions;
import dev.postrider.options.EngineOptions;
import dev.postrider.tenant.EnvironmentChanged;
import java.util.List;
import java.util.function.IntSupplier;

/** The components that accept messages: checks against event types, and group commit. */
final class Intake {
  private final RoutingCache routings;
  private final EventTypeStore eventTypes;
  private final EventTypeRules eventTypeRules;
  private final AcceptLoop acceptLoop;
  private final Acceptor unchecked;
  private final Acceptor checked;
  private final MessagePublisher publisher;
  private volatile MessageStarts starts = MessageStarts.NONE;

  /**
   * @param accepting how many instances accept messages, as of the last heartbeat
   */
  Intake(Foundation base, Reporting reporting, Outbound outbound, IntSupplier accepting) {
    this.routings = new RoutingCache(outbound.routingStore());
    this.eventTypes =
        new EventTypeStore(base.database(), base.ids(), base.time(), reporting.events());
    this.eventTypeRules = new EventTypeRules(eventTypes, base.evaluator(), base.time());
    InsertClaims insertClaims =
        new InsertClaims(
            base.lanes(),
            outbound.unsettled(),
            base.ids(),
            base.time(),
            Foundation.LEASE_MS,
            base.delivers());
    this.acceptLoop =
        new AcceptLoop(
            base.opened().accept(),
            base.database().dialect(),
            insertClaims,
            base.instance(),
            limits(base.options()),
            base.time());
    FanOut fanOut =
        new FanOut(new LaneKeys(base.expressions()), acceptLoop.keyWindow(), base.time());
    GroupCommit commits =
        new GroupCommit(
            routings,
            fanOut,
            acceptLoop,
            insertClaims,
            new SenderHandOver(reporting, outbound, runs -> starts.committed(runs)),
            base.ids(),
            base.watermark(),
            new AcceptRateLimiter(accepting, base.time()));
    this.unchecked = commits;
    this.checked = new CheckedAcceptor(unchecked, eventTypeRules, routings, acceptLoop.keyWindow());
    this.publisher =
        new TransactionPublisher(
            commits,
            checked,
            routings,
            fanOut,
            base.database(),
            base.watermark(),
            base.instance(),
            base.time());
    listenTo(reporting.events());
  }

  private static AcceptLoop.Limits limits(EngineOptions options) {
    AcceptOptions accept = options.accept();
    return new AcceptLoop.Limits(
        accept.batchRows(),
        accept.batchBytes(),
        accept.queueRows(),
        accept.queueBytes(),
        new Share(options.delivery().limits().applicationShare()),
        accept.idempotencyWindow().toMillis(),
        accept.idempotencyMaxWindow().toMillis());
  }

  RoutingCache routings() {
    return routings;
  }

  EventTypeStore eventTypes() {
    return eventTypes;
  }

  AcceptLoop acceptLoop() {
    return acceptLoop;
  }

  /** For messages of Postrider itself, which are not checked against event types. */
  Acceptor unchecked() {
    return unchecked;
  }

  Acceptor checked() {
    return checked;
  }

  MessagePublisher publisher() {
    return publisher;
  }

  /** Where what messages start is registered. */
  MessageStarts.Slot starts() {
    return owner -> starts = owner;
  }

  /** Keeps the cached rules of event types current. */
  private void listenTo(EngineEvents events) {
    events.afterCommit(PeerChange.class, _ -> eventTypeRules.signal());
    events.afterCommit(
        EventTypesChanged.class, changed -> eventTypeRules.forget(changed.environmentId()));
    events.afterCommit(
        EnvironmentChanged.class, changed -> eventTypeRules.forget(changed.environmentId()));
  }

  /** Passes accepted deliveries to the sender. */
  private record SenderHandOver(Reporting reporting, Outbound outbound, MessageStarts starts)
      implements GroupCommit.HandOver {
    @Override
    public void leasedAtInsert(Delivery delivery) {
      outbound.sender().start(delivery);
    }

    @Override
    public void waitsForReader() {
      outbound.queues().messageArrived();
    }

    @Override
    public void started(List<MessageStarts.Start> runs) {
      starts.committed(runs);
    }

    @Override
    public void leftForOthers() {
      reporting.events().publish(LaneEvent.LeftForOthers.EVENT);
    }

    @Override
    public void accepted(Id applicationId, Id messageId, String eventType, List<Id> accepting) {
      reporting.counters().accepted(applicationId, accepting);
      reporting.outside().accepted(applicationId, messageId, eventType, accepting.size());
    }
  }
}
