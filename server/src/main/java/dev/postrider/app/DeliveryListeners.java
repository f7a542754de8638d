package dev.postrider.app;

import dev.postrider.delivery.AttemptResult;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.delivery.StatusChange;
import dev.postrider.id.Id;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells several, of which some need the engine and so come after it. */
final class DeliveryListeners implements DeliveryListener {
  private final List<DeliveryListener> all = new CopyOnWriteArrayList<>();

  DeliveryListeners(DeliveryListener first) {
    all.add(first);
  }

  void add(DeliveryListener listener) {
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
