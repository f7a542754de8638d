package dev.postrider.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a caller reads of what was counted, over HTTP. */
@Timeout(120)
final class StatisticsTest {
  @TempDir Path folder;
  private final Receiver receiver = new Receiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  private static void fill(Apps apps, App app, Receiver receiver) {
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/bad") ? 500 : 200));
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"good\",\"url\":\"%s\"}".formatted(receiver.url("/good")));
    apps.expect(
        app,
        201,
        "POST",
        "/app/acme/endpoint",
        "{\"uid\":\"bad\",\"url\":\"%s\",\"retryPolicy\":\"50ms\"}"
            .formatted(receiver.url("/bad")));
    for (int i = 0; i < 3; i++) {
      apps.expect(
          app, 202, "POST", "/app/acme/msg", "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}");
    }
  }

  private static void untilCounted(Apps apps, App app) {
    apps.await(
        "three delivered, three given up",
        () -> {
          Apps.Answer all = apps.expect(app, 200, "GET", "/app/acme/statistics?window=1h", "");
          return all.number("/delivered") == 3 && all.number("/deadLetter") == 3;
        });
  }

  @ParameterizedTest
  @EnumSource
  void countsWhatHappenedAndKeepsItOverARestart(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      fill(apps, app, receiver);
      untilCounted(apps, app);
      apps.stop(app);
      App again = apps.start();
      Apps.Answer all = apps.expect(again, 200, "GET", "/app/acme/statistics", "");
      assertThat(all.text("/window")).isEqualTo("24h");
      assertThat(all.number("/messages")).isEqualTo(3);
      assertThat(all.number("/deliveries")).isEqualTo(6);
      assertThat(all.number("/delivered")).isEqualTo(3);
      assertThat(all.number("/failed")).isEqualTo(6);
      assertThat(all.number("/deadLetter")).isEqualTo(3);
      assertThat(all.number("/attempts")).isEqualTo(9);
      assertThat(all.number("/pending")).isZero();
      assertThat(all.number("/p95LatencyMs")).isPositive();
      Apps.Answer good =
          apps.expect(again, 200, "GET", "/app/acme/endpoint/good/statistics?window=30d", "");
      assertThat(good.number("/delivered")).isEqualTo(3);
      assertThat(good.number("/failed")).isZero();
      Apps.Answer health = apps.expect(again, 200, "GET", "/app/acme/endpoint/bad/health", "");
      assertThat(health.number("/lastTenMinutes/failed")).isEqualTo(6);
      assertThat(health.number("/lastTenMinutes/delivered")).isZero();
      Apps.Answer svix = apps.expect(again, 200, "GET", "/app/acme/endpoint/bad/stats", "");
      assertThat(svix.json().toString())
          .isEqualTo("{\"success\":0,\"pending\":0,\"sending\":0,\"fail\":3,\"canceled\":0}");
      assertThat(
              apps.call(again, "GET", "/app/acme/statistics?window=2h", "").text("/detail/0/loc/1"))
          .isEqualTo("window");
      assertThat(apps.call(again, "GET", "/app/none/statistics", "").status()).isEqualTo(404);
    }
  }

  @Test
  void anotherInstanceAddsWhatThisOneWrote() {
    try (Apps apps = new Apps(Databases.Kind.POSTGRES, folder)) {
      App one = apps.start();
      App other = apps.start();
      fill(apps, one, receiver);
      // Either may have made a try; each reads of the other what that has written.
      apps.await(
          "all six ends are written",
          () -> {
            TestEngine.of(one.engine()).flushCounters();
            TestEngine.of(other.engine()).flushCounters();
            return Engines.number(
                    TestEngine.of(one.engine()),
                    "SELECT coalesce(sum(delivered + dead_letter), 0) FROM counters")
                == 6;
          });
      Apps.Answer all = apps.expect(other, 200, "GET", "/app/acme/statistics?window=1h", "");
      assertThat(all.number("/delivered")).isEqualTo(3);
      assertThat(all.number("/deadLetter")).isEqualTo(3);
    }
  }
}
