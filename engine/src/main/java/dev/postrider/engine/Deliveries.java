package dev.postrider.engine;

import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.DeliveryId;
import dev.postrider.id.MessageId;
import dev.postrider.storage.Database;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads the deliveries of messages. */
public final class Deliveries {
  private final DeliveryReader reader;

  Deliveries(Database database) {
    this.reader = new DeliveryReader(database);
  }

  /** One for each endpoint and queue of the message. */
  public List<DeliveryInfo> ofMessage(ApplicationId application, MessageId message) {
    return reader.ofMessage(application, message).stream().map(Deliveries::shown).toList();
  }

  private static DeliveryInfo shown(DeliveryView view) {
    return new DeliveryInfo(
        new DeliveryId(view.id()),
        view.laneId().text(view.laneKind()),
        DeliveryInfo.Status.valueOf(view.status().name()),
        view.attempts(),
        Optional.ofNullable(view.nextAttemptAtMs()).map(Instant::ofEpochMilli),
        Optional.ofNullable(view.reason()));
  }
}
