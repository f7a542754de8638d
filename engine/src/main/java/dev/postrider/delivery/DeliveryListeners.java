package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.Arrays;

/**
 * Calls several listeners in the order in which they were added. Some of them need the engine and
 * so are added after it was built.
 */
public final class DeliveryListeners implements DeliveryListener {
  /** Never changed, only replaced. */
  private volatile DeliveryListener[] all;

  public DeliveryListeners(DeliveryListener... listeners) {
    all = listeners.clone();
  }

  public synchronized void add(DeliveryListener listener) {
    DeliveryListener[] more = Arrays.copyOf(all, all.length + 1);
    more[all.length] = listener;
    all = more;
  }

  @Override
  public void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {
    for (DeliveryListener listener : all) {
      listener.accepted(applicationId, messageId, eventType, deliveries);
    }
  }

  @Override
  public void finished(Outcome outcome, Finish finish) {
    for (DeliveryListener listener : all) {
      listener.finished(outcome, finish);
    }
  }

  @Override
  public void queueEnded(QueueEnd end) {
    for (DeliveryListener listener : all) {
      listener.queueEnded(end);
    }
  }

  @Override
  public void queueReceived(Id queueId, int received, int timedOut) {
    for (DeliveryListener listener : all) {
      listener.queueReceived(queueId, received, timedOut);
    }
  }

  @Override
  public void leaseLost(Outcome outcome) {
    for (DeliveryListener listener : all) {
      listener.leaseLost(outcome);
    }
  }

  @Override
  public void sentUntransformed(Delivery delivery, String error) {
    for (DeliveryListener listener : all) {
      listener.sentUntransformed(delivery, error);
    }
  }

  @Override
  public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
    for (DeliveryListener listener : all) {
      listener.circuitOpened(applicationId, laneId, untilMs);
    }
  }

  @Override
  public void circuitClosed(Id applicationId, Id laneId) {
    for (DeliveryListener listener : all) {
      listener.circuitClosed(applicationId, laneId);
    }
  }

  @Override
  public void rescued(LeaseRef lease) {
    for (DeliveryListener listener : all) {
      listener.rescued(lease);
    }
  }

  @Override
  public void statusChanged(StatusChange change) {
    for (DeliveryListener listener : all) {
      listener.statusChanged(change);
    }
  }
}
