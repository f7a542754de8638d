package dev.postrider.delivery.loop;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.command.Cancel;
import dev.postrider.delivery.store.CancelStore;
import dev.postrider.delivery.store.CancelStore.Canceled;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.id.MessageId;
import dev.postrider.time.TimeSource;
import java.util.List;

/** Implements cancels, and notifies the listener of the canceled deliveries. */
public final class Canceler implements Cancel {
  private final CancelStore store;
  private final EventPublisher events;
  private final DeliveryListener listener;
  private final Ids ids;
  private final TimeSource time;

  public Canceler(
      CancelStore store,
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
  public Result cancelMessage(ApplicationId applicationId, MessageId messageId) {
    return report(
        applicationId.value(),
        store.cancelMessage(applicationId.value(), messageId.value(), ids.next(), time.nowMs()));
  }

  @Override
  public Result cancelDelivery(ApplicationId applicationId, DeliveryView delivery) {
    return report(
        applicationId.value(),
        store.cancelDelivery(
            applicationId.value(), delivery.messageId(), delivery.id(), ids.next(), time.nowMs()));
  }

  private Result report(Id applicationId, List<Canceled> changed) {
    List<Canceled> ended =
        changed.stream().filter(one -> one.status() == DeliveryStatus.CANCELED).toList();
    for (Canceled one : ended) {
      if (one.laneKind() == IdKind.ENDPOINT) {
        events.publish(new LaneEvent.Canceled(applicationId, one.laneId()));
      }
      listener.statusChanged(
          new StatusChange(
              applicationId,
              one.laneId(),
              one.laneKind(),
              List.of(one.deliveryId()),
              DeliveryStatus.CANCELED,
              null,
              EndReason.CANCEL_REQUESTED));
    }
    return new Result(ended.size(), changed.size() - ended.size());
  }
}
