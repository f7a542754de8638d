package dev.postrider.delivery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The rate of requests of the whole server, as receivers see it. */
@OnEachDatabase
final class SendRateTest {
  private static final int RATE = 5;
  private static final int MESSAGES = 7;

  /** Of two instances: a burst of a tenth of a second and one request of each. */
  private static final int MOST_AT_ONCE = 4;

  private static final int MOST_IN_A_SECOND = RATE + MOST_AT_ONCE;

  /** How much later one request may come in than another that was sent at the same time. */
  private static final long JITTER_MS = 700;

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  @Test
  void allEndpointsAndRetriesShareTheRate() {
    Signals signals = new Signals();
    try (Receiver receiver = new Receiver(signals);
        Apps apps = new Apps(kind, folder, signals)) {
      receiver.behave(request -> Receiver.Answer.of(request.path().startsWith("/bad") ? 503 : 200));
      App app = apps.start("SEND_RATE=" + RATE, "RETRY_SCHEDULE=0s,0s", "BREAKER_FAILURES=1000");
      fill(apps, app, receiver);
      // three good endpoints with one attempt of each message, and a bad one with three
      receiver.await(MESSAGES * 6);
      signals.await("all are finished", () -> deliveries(apps, app) == 0);
      assertThat(receiver.count()).isEqualTo(MESSAGES * 6);
      assertRateKept(receiver);
    }
  }

  @Test
  void instancesShareTheRate() {
    if (kind == Databases.Kind.SQLITE) {
      return; // one instance only
    }
    Signals signals = new Signals();
    try (Receiver receiver = new Receiver(signals);
        Apps apps = new Apps(kind, folder, signals)) {
      String[] settings = {"SEND_RATE=" + RATE, "HEARTBEAT=200ms", "DEAD_AFTER=20s"};
      List<App> both = List.of(apps.start(settings), apps.start(settings));
      for (App app : both) {
        signals.await("both know each other", () -> TestEngine.of(app.engine()).delivering() == 2);
      }
      apps.expect(both.getFirst(), 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
      for (int endpoint = 0; endpoint < 4; endpoint++) {
        endpoint(apps, both.getFirst(), receiver.url("/e" + endpoint));
      }
      for (int message = 0; message < MESSAGES; message++) {
        send(apps, both.get(message % both.size()));
      }
      receiver.await(MESSAGES * 4);
      assertRateKept(receiver);
    }
  }

  private static void fill(Apps apps, App app, Receiver receiver) {
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
    for (String path : List.of("/a", "/b", "/c", "/bad")) {
      endpoint(apps, app, receiver.url(path));
    }
    for (int message = 0; message < MESSAGES; message++) {
      send(apps, app);
    }
  }

  private static void endpoint(Apps apps, App app, String url) {
    apps.expect(app, 201, "POST", "/app/acme/endpoint", "{\"url\":\"" + url + "\"}");
  }

  private static void send(Apps apps, App app) {
    apps.expect(app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{}}");
  }

  private static long deliveries(Apps apps, App app) {
    return apps.call(app, "GET", "/delivery/count?application=acme", "").number("/waiting");
  }

  private static void assertRateKept(Receiver receiver) {
    long[] times =
        receiver.requests().stream().mapToLong(Receiver.Request::atNanos).sorted().toArray();
    long fewestMs = 1_000L * (times.length - MOST_AT_ONCE) / RATE - JITTER_MS;
    assertThat(TimeUnit.NANOSECONDS.toMillis(times[times.length - 1] - times[0]))
        .isGreaterThan(fewestMs);
    for (int first = 0; first + MOST_IN_A_SECOND < times.length; first++) {
      assertThat(TimeUnit.NANOSECONDS.toMillis(times[first + MOST_IN_A_SECOND] - times[first]))
          .as("requests %s to %s", first, first + MOST_IN_A_SECOND)
          .isGreaterThan(1_000 - JITTER_MS);
    }
  }
}
