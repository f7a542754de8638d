package dev.postrider.inbound.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Cron sources in whole servers, on both databases. */
@OnEachDatabase
final class CronTest extends GatewayBehaviour {

  @Test
  void aTickIsOneMessageHoweverManyInstances() {
    App app = gateway.start();
    if (kind == Databases.Kind.POSTGRES) {
      gateway.start();
      gateway.start();
    }
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"clock\",\"cron\":{\"schedule\":\"* * * * *"
            + " *\",\"timezone\":\"Europe/Berlin\"}}");
    try (Receiver receiver = new Receiver(signals)) {
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
    await(
        "it stands still",
        () ->
            Engines.number(
                    TestEngine.of(app.engine()),
                    "SELECT count(*) FROM cron_ticks WHERE schedule = ''")
                == 1);
  }

  @Test
  void missedTicksFollowOnce() {
    App app = gateway.start();
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"hourly\",\"cron\":{\"schedule\":\"0 * * * *\",\"missed\":\"once\"}}");
    await("it began", () -> Engines.count(TestEngine.of(app.engine()), "cron_ticks") == 1);
    gateway.stop(app);
    App later = gateway.start();
    Engines.sql(
        TestEngine.of(later.engine()), "UPDATE cron_ticks SET last_tick = last_tick - 36000000");
    gateway.stop(later);
    App again = gateway.start();
    await("one tick fired", () -> received(again).size() == 1);
    JsonNode tick = received(again).get(0);
    assertThat(tick.get("eventType").asString()).isEqualTo("cron.tick");
    await(
        "it is known as the last",
        () ->
            Engines.number(
                    TestEngine.of(again.engine()),
                    "SELECT count(*) FROM cron_ticks WHERE last_tick > "
                        + (System.currentTimeMillis() - 3_700_000))
                == 1);
    assertThat(received(again)).hasSize(1);
  }

  private JsonNode received(App app) {
    return received(app, "hourly");
  }

  private JsonNode received(App app, String source) {
    return gateway.api(200, app, "GET", "/source/" + source + "/received", "").json().get("data");
  }

  private void clock(App app, String name, String cron) {
    gateway.api(201, app, "POST", "/source", "{\"name\":\"" + name + "\",\"cron\":{" + cron + "}}");
  }

  /**
   * The clocks stood still since then; returns a server that runs, beside another one if it may.
   */
  private App afterAPauseSince(App app, int clocks, Instant since) {
    await("they began", () -> Engines.count(TestEngine.of(app.engine()), "cron_ticks") == clocks);
    Engines.sql(
        TestEngine.of(app.engine()), "UPDATE cron_ticks SET last_tick = " + since.toEpochMilli());
    gateway.stop(app);
    if (kind == Databases.Kind.POSTGRES) {
      gateway.start();
    }
    return gateway.start();
  }

  @Test
  void missedTicksAreSkippedOrFollowOnceOrAll() {
    App app = gateway.start();
    // the first days of three months that are over, and none that comes soon
    ZonedDateTime now = TestEngine.of(app.engine()).time().now().atZone(ZoneOffset.UTC);
    ZonedDateTime month = now.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
    List<ZonedDateTime> missed =
        List.of(month.minusMonths(4), month.minusMonths(3), month.minusMonths(2));
    String schedule =
        "\"schedule\":\"0 0 1 %s *\""
            .formatted(
                missed.stream()
                    .map(tick -> Integer.toString(tick.getMonthValue()))
                    .collect(Collectors.joining(",")));
    clock(app, "skipping", schedule + ",\"missed\":\"skip\"");
    clock(app, "usual", schedule);
    clock(app, "complete", schedule + ",\"missed\":\"all\"");

    App again = afterAPauseSince(app, 3, now.minusDays(200).toInstant());
    await(
        "each is at the last tick",
        () ->
            Engines.number(
                    TestEngine.of(again.engine()),
                    "SELECT count(*) FROM cron_ticks WHERE last_tick = "
                        + missed.getLast().toInstant().toEpochMilli())
                == 3);
    assertThat(received(again, "skipping")).isEmpty();
    assertThat(firedAt(again, "usual")).containsExactly(missed.getLast().toInstant());
    assertThat(firedAt(again, "complete"))
        .containsExactlyElementsOf(missed.stream().map(ZonedDateTime::toInstant).toList());
  }

  @Test
  void missedTicksFollowTheChangesOfTheClocks() {
    App app = gateway.start();
    clock(
        app,
        "nightly",
        "\"schedule\":\"30 2 * 3,10 sun\",\"timezone\":\"Europe/Berlin\",\"missed\":\"all\"");
    Instant now = TestEngine.of(app.engine()).time().now();
    Instant since = now.minus(Duration.ofDays(400));
    List<Instant> expected = new ArrayList<>();
    for (LocalDate day = LocalDate.ofInstant(since, ZoneOffset.UTC).plusDays(1);
        day.isBefore(LocalDate.ofInstant(now, ZoneOffset.UTC));
        day = day.plusDays(1)) {
      boolean last = day.equals(day.with(TemporalAdjusters.lastInMonth(DayOfWeek.SUNDAY)));
      if (day.getDayOfWeek() == DayOfWeek.SUNDAY && day.getMonth() == Month.MARCH) {
        // 02:30 in winter; on the last one the clocks go from 02:00 to 03:00, and it ticks then
        expected.add(Instant.parse(day + (last ? "T01:00:00Z" : "T01:30:00Z")));
      } else if (day.getDayOfWeek() == DayOfWeek.SUNDAY && day.getMonth() == Month.OCTOBER) {
        // 02:30 in summer; on the last one it is shown twice, and the first counts
        expected.add(Instant.parse(day + "T00:30:00Z"));
      }
    }
    App again =
        afterAPauseSince(
            app,
            1,
            LocalDate.ofInstant(since, ZoneOffset.UTC)
                .plusDays(1)
                .atStartOfDay()
                .toInstant(ZoneOffset.UTC));
    await("the last one fired", () -> firedAt(again, "nightly").contains(expected.getLast()));
    assertThat(firedAt(again, "nightly"))
        .filteredOn(tick -> !tick.isAfter(expected.getLast()))
        .containsExactlyElementsOf(expected);
  }

  /** The ticks that became messages, the oldest first. */
  private List<Instant> firedAt(App app, String source) {
    return received(app, source)
        .valueStream()
        .map(
            message ->
                gateway.api(
                    200, app, "GET", "/app/" + source + "/msg/" + message.get("id").asString(), ""))
        .map(message -> Instant.parse(message.text("/payload/fired_at")))
        .sorted()
        .toList();
  }

  @Test
  void deletingTheApplicationStopsTheSource() {
    App app = gateway.start();
    clock(app, "left", "\"schedule\":\"* * * * *\"");
    gateway.api(204, app, "DELETE", "/app/left", "");
    App again =
        afterAPauseSince(app, 1, TestEngine.of(app.engine()).time().now().minusSeconds(300));
    await(
        "it is disabled",
        () ->
            !gateway.api(200, again, "GET", "/source/left", "").json().get("enabled").asBoolean());
    gateway.api(404, again, "GET", "/app/left", "");
    gateway.api(200, again, "PATCH", "/source/left", "{\"enabled\":true}");
    gateway.api(200, again, "GET", "/app/left", "");
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
