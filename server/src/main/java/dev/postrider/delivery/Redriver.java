package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.DatabaseAway;
import dev.postrider.time.TimeSource;

/** Resends. */
public final class Redriver implements Redrive {
  private final RedriveStore store;
  private final LaneBook book;
  private final Runnable tellOthers;
  private final Ids ids;
  private final TimeSource time;

  public Redriver(
      RedriveStore store, LaneBook book, Runnable tellOthers, Ids ids, TimeSource time) {
    this.store = store;
    this.book = book;
    this.tellOthers = tellOthers;
    this.ids = ids;
    this.time = time;
  }

  @Override
  public ResendResult resend(Id applicationId, Id messageId, Id endpointId) {
    RedriveStore.Subject subject = store.subject(applicationId, messageId, endpointId);
    if (!subject.message()) {
      return new ResendResult.NoSuchMessage();
    }
    if (!subject.endpoint()) {
      return new ResendResult.NoSuchEndpoint();
    }
    if (subject.disabled()) {
      return new ResendResult.EndpointDisabled();
    }
    if (!subject.payload()) {
      return new ResendResult.PayloadGone();
    }
    Id delivery = DeliveryIds.of(messageId, endpointId, ids.next());
    try {
      if (!store.insertManual(
          applicationId, delivery, messageId, endpointId, subject.ordered(), time.nowMs())) {
        return new ResendResult.NoSuchMessage();
      }
    } catch (DatabaseAway e) {
      return new ResendResult.Refused("the database is away");
    }
    queued(endpointId);
    return new ResendResult.Queued(delivery);
  }

  @Override
  public boolean redrive(Id applicationId, DeliveryView delivery) {
    boolean redriven =
        store.redriveOne(applicationId, delivery.id(), delivery.laneId(), time.nowMs());
    if (redriven && !delivery.toQueue()) { // a queue's readers look by themselves
      queued(delivery.laneId());
    }
    return redriven;
  }

  @Override
  public Id sendExample(Id applicationId, Id endpointId, String eventType, byte[] payload) {
    Id message = ids.next();
    Id delivery = DeliveryIds.of(message, endpointId, ids.next());
    boolean ordered = store.subject(applicationId, message, endpointId).ordered();
    store.insertExample(
        new RedriveStore.Example(applicationId, message, delivery, endpointId, eventType, payload),
        ordered,
        time.nowMs());
    queued(endpointId);
    return message;
  }

  private void queued(Id endpointId) {
    book.add(endpointId, time.nowMs());
    tellOthers.run();
  }
}
