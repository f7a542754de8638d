package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Cron sources in whole servers, on whichever database. */
abstract class CronContract extends GatewayBehaviour {

  @Test
  void aTickIsOneMessageHoweverManyInstances() {
    App app = gateway.start();
    if (kind() == Databases.Kind.POSTGRES) {
      gateway.start();
      gateway.start();
    }
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"clock\",\"cron\":{\"schedule\":\"* * * * * *\",\"timezone\":\"Europe/Berlin\"}}");
    try (Receiver receiver = new Receiver()) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/clock/endpoint",
          "{\"url\":\"" + receiver.url("/tick") + "\",\"filterTypes\":[\"cron.tick\"]}");
      receiver.await(4);
      List<Instant> ticks =
          receiver.requests().stream()
              .map(request -> dev.postrider.json.Json.MAPPER.readTree(request.body()))
              .peek(body -> assertThat(body.get("source").asString()).isEqualTo("clock"))
              .map(body -> Instant.parse(body.get("fired_at").asString()))
              .sorted()
              .toList();
      assertThat(ticks).doesNotHaveDuplicates();
      for (int i = 1; i < ticks.size(); i++) {
        assertThat(Duration.between(ticks.get(i - 1), ticks.get(i)))
            .isEqualTo(Duration.ofSeconds(1));
      }
    }
    assertThat(gateway.in(app, "clock", "x").status()).as("a clock has no door").isEqualTo(404);
    gateway.api(200, app, "PATCH", "/source/clock", "{\"enabled\":false}");
    Engines.until(
        "it stands still",
        () ->
            Engines.number(app.engine(), "SELECT count(*) FROM cron_ticks WHERE schedule = ''")
                == 1);
  }

  @Test
  void whatWasMissedIsMadeUpForOnce() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"hourly\",\"cron\":{\"schedule\":\"0 * * * *\",\"missed\":\"once\"}}");
    Engines.until("it began", () -> Engines.count(app.engine(), "cron_ticks") == 1);
    gateway.stop(app);
    App later = gateway.start();
    Engines.sql(later.engine(), "UPDATE cron_ticks SET last_tick = last_tick - 36000000");
    gateway.stop(later);
    App again = gateway.start();
    Engines.until("one tick fired", () -> received(again).size() == 1);
    JsonNode tick = received(again).get(0);
    assertThat(tick.get("eventType").asString()).isEqualTo("cron.tick");
    Engines.until(
        "it is known as the last",
        () ->
            Engines.number(
                    again.engine(),
                    "SELECT count(*) FROM cron_ticks WHERE last_tick > "
                        + (System.currentTimeMillis() - 3_700_000))
                == 1);
    assertThat(received(again)).hasSize(1);
  }

  private JsonNode received(App app) {
    return gateway.api(200, app, "GET", "/source/hourly/received", "").json().get("data");
  }

  @Test
  void aWrongScheduleIsRefused() {
    App app = gateway.start();
    assertThat(
            gateway
                .api(
                    422,
                    app,
                    "POST",
                    "/source",
                    "{\"name\":\"x\",\"cron\":{\"schedule\":\"61 * * * *\"}}")
                .text("/detail/0/loc/1"))
        .isEqualTo("cron");
  }
}
