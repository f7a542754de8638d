package dev.postrider.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.event.EventPublisher;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LiveClientTest {
  private static final String ENVIRONMENT = "default";

  @TempDir Path folder;

  /** The forwarder may read an event after the client that has seen it on another instance. */
  @Test
  void theEventToResumeAfterIsNotSentAgain() throws Exception {
    ManualTime time = new ManualTime();
    Ids ids = new Ids(time::nowMs, new Random(1));
    try (Database database = Databases.sqlite(folder)) {
      LiveStore store = new LiveStore(database);
      try (LiveFeed feed =
          new LiveFeed(store, ids, time, Duration.ofHours(1), EventPublisher.NONE)) {
        LiveEvent seen = event(ids);
        LiveEvent next = event(ids);
        LiveFilter all = new LiveFilter(ENVIRONMENT, null, null);
        try (LiveClient client = Objects.requireNonNull(feed.join(all, seen.id()))) {
          client.offer(seen);
          client.offer(next);
          List<LiveEvent> sent = new ArrayList<>(client.next(Duration.ofSeconds(1)));
          sent.addAll(client.next(Duration.ofSeconds(1)));
          assertThat(sent).containsExactly(next);
        }
      }
    }
  }

  private static LiveEvent event(Ids ids) {
    return new LiveEvent(ids.next(), ENVIRONMENT, Id.ZERO, null, "status", "{}");
  }
}
