package dev.postrider.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NamedLanesTest {
  @TempDir Path folder;

  @Test
  void aLaneIsNamedByALookUpThatBeginsWhileItIsAdded() {
    try (Database database = Databases.sqlite(folder)) {
      MeterRegistry registry = new SimpleMeterRegistry();
      AtomicReference<Runnable> lookUp = new AtomicReference<>(() -> {});
      NamedLanes lanes =
          new NamedLanes(new OpenDeliveryStore(database), registry, 10, () -> lookUp.get().run());
      lookUp.set(lanes::refresh);
      Id id = new Id(1, 1);
      lanes.queueEnded(new QueueEnd(id, id, id, id, 1, DeliveryStatus.DELIVERED, null));
      lanes.collect();
      assertThat(registry.get("postrider.queue.deliveries").counter().count()).isEqualTo(1);
    }
  }
}
