package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.id.Id;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Refused requests, unrouted messages and the live history are each forgotten in their own time.
 */
@Timeout(120)
class InboundRetentionTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void eachIsForgottenInItsOwnTime(Databases.Kind kind) {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder)) {
      App app =
          gateway.start(
              "RETENTION_REJECTED=1h",
              "RETENTION_LIVE=3h",
              "RETENTION_UNROUTED=5h",
              "RETENTION_AUDIT=7h");
      gateway.api(201, app, "POST", "/source", "{\"name\":\"brief\",\"verify\":\"none\"}");
      gateway.api(204, app, "DELETE", "/source/brief", "");
      gateway.api(
          201,
          app,
          "POST",
          "/source",
          "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
      // refused: also an event of the live history, because a signature failure is always reported
      gateway.github(app, "github", "wrong", "d1", "{}");
      assertThat(gateway.github(app, "github", "s3cret", "d2", "{}").status()).isEqualTo(200);
      gateway.await(
          "both are written",
          () ->
              Engines.count(TestEngine.of(app.engine()), "rejected_requests") == 1
                  && Engines.count(TestEngine.of(app.engine()), "live_events") == 1);

      age(app, Duration.ofMinutes(30));
      assertThat(left(app)).isEqualTo("rejected 1, live 1, messages 1, audit 1");
      age(app, Duration.ofHours(2));
      assertThat(left(app)).isEqualTo("rejected 0, live 1, messages 1, audit 1");
      age(app, Duration.ofHours(4));
      assertThat(left(app)).isEqualTo("rejected 0, live 0, messages 1, audit 1");
      age(app, Duration.ofHours(6));
      assertThat(left(app)).isEqualTo("rejected 0, live 0, messages 0, audit 1");
      age(app, Duration.ofHours(8));
      assertThat(left(app)).isEqualTo("rejected 0, live 0, messages 0, audit 0");
    }
  }

  /** As if everything had come that long ago, for the ids hold the time; then prunes. */
  private static void age(App app, Duration ago) {
    Id then = Id.floorOf(TestEngine.of(app.engine()).time().nowMs() - ago.toMillis());
    for (String table : new String[] {"rejected_requests", "live_events", "messages", "audit"}) {
      TestEngine.of(app.engine())
          .database()
          .write(
              handle ->
                  handle
                      .createUpdate("UPDATE " + table + " SET id = :id")
                      .bind("id", then)
                      .execute());
    }
    TestEngine.of(app.engine()).pruner().pruneNow();
  }

  private static String left(App app) {
    return "rejected %d, live %d, messages %d, audit %d"
        .formatted(
            Engines.count(TestEngine.of(app.engine()), "rejected_requests"),
            Engines.count(TestEngine.of(app.engine()), "live_events"),
            Engines.count(TestEngine.of(app.engine()), "messages"),
            Engines.count(TestEngine.of(app.engine()), "audit"));
  }
}
