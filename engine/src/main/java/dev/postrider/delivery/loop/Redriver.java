package dev.postrider.delivery.loop;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.command.Redrive;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.delivery.store.RedriveStore;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.time.TimeSource;
import java.util.List;

/** Implements resend and redrive, and notifies the listener of the queued deliveries. */
public final class Redriver implements Redrive {
  private final RedriveStore store;
  private final EventPublisher events;
  private final DeliveryListener listener;
  private final Ids ids;
  private final TimeSource time;

  public Redriver(
      RedriveStore store,
      EventPublisher events,
      DeliveryListener listener,
      Ids ids,
      TimeSource time) {
    this.store = store;
    this.events = events;
    this.listener = listener;
    this.ids = ids;
    this.time = time;
  }

  @Override
  public ResendResult resend(
      ApplicationId applicationId, MessageId messageId, EndpointId endpointId) {
    return resend(applicationId.value(), messageId.value(), endpointId.value());
  }

  private ResendResult resend(Id applicationId, Id messageId, Id endpointId) {
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
          applicationId,
          delivery,
          messageId,
          endpointId,
          subject.ordered(),
          ids.next(),
          time.nowMs())) {
        return new ResendResult.NoSuchMessage();
      }
    } catch (DatabaseUnavailable e) {
      return new ResendResult.Refused("the database is unavailable");
    }
    events.publish(new LaneEvent.Queued(applicationId, endpointId));
    reportStatus(applicationId, endpointId, IdKind.ENDPOINT, delivery, DeliveryStatus.PENDING);
    return new ResendResult.Queued(new DeliveryId(delivery));
  }

  @Override
  public boolean redrive(ApplicationId application, DeliveryView delivery) {
    Id applicationId = application.value();
    DeliveryStatus now =
        store.redriveOne(applicationId, delivery.id(), delivery.laneId(), ids.next(), time.nowMs());
    if (now == null) {
      return false;
    }
    if (!delivery.toQueue()) { // consumers of a queue poll by themselves
      events.publish(new LaneEvent.Queued(applicationId, delivery.laneId()));
    }
    reportStatus(applicationId, delivery.laneId(), delivery.laneKind(), delivery.id(), now);
    return true;
  }

  @Override
  public MessageId sendExample(
      ApplicationId application, EndpointId endpoint, String eventType, byte[] payload) {
    Id applicationId = application.value();
    Id endpointId = endpoint.value();
    Id message = ids.next();
    Id delivery = DeliveryIds.of(message, endpointId, ids.next());
    boolean ordered = store.subject(applicationId, message, endpointId).ordered();
    store.insertExample(
        new RedriveStore.Example(applicationId, message, delivery, endpointId, eventType, payload),
        ordered,
        time.nowMs());
    events.publish(new LaneEvent.Queued(applicationId, endpointId));
    reportStatus(applicationId, endpointId, IdKind.ENDPOINT, delivery, DeliveryStatus.PENDING);
    return new MessageId(message);
  }

  private void reportStatus(
      Id applicationId, Id laneId, IdKind laneKind, Id delivery, DeliveryStatus status) {
    listener.statusChanged(
        new StatusChange(
            applicationId, laneId, laneKind, List.of(delivery), status, time.nowMs(), null));
  }
}
