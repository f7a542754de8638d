package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notifies several listeners; those that need the engine are added after it was built. */
public final class DeliveryListeners implements DeliveryListener {
  private final List<DeliveryListener> all = new CopyOnWriteArrayList<>();

  public void add(DeliveryListener listener) {
    all.add(listener);
  }

  @Override
  public void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {
    all.forEach(listener -> listener.accepted(applicationId, messageId, eventType, deliveries));
  }

  @Override
  public void statusChanged(StatusChange change) {
    all.forEach(listener -> listener.statusChanged(change));
  }

  @Override
  public void finished(AttemptResult result, Finish finish) {
    all.forEach(listener -> listener.finished(result, finish));
  }

  @Override
  public void queueEnded(QueueEnd end) {
    all.forEach(listener -> listener.queueEnded(end));
  }

  @Override
  public void leaseLost(AttemptResult result) {
    all.forEach(listener -> listener.leaseLost(result));
  }

  @Override
  public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
    all.forEach(listener -> listener.circuitOpened(applicationId, laneId, untilMs));
  }

  @Override
  public void circuitClosed(Id applicationId, Id laneId) {
    all.forEach(listener -> listener.circuitClosed(applicationId, laneId));
  }

  @Override
  public void rescued(LeaseRef lease) {
    all.forEach(listener -> listener.rescued(lease));
  }
}
