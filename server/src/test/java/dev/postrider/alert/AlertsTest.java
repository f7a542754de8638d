package dev.postrider.alert;

import static dev.postrider.endpoint.EndpointFields.CHANNELS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.accept.RoutingCache;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.FakeAcceptor;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestLanes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

final class AlertsTest {
  private static final long NOW = 1_800_000_000_000L;

  @TempDir Path folder;

  @Test
  void aSubjectIsAlertedOnceAMinuteWithTheNumberSuppressed() {
    AlertRateLimiter limiter = new AlertRateLimiter();
    assertThat(limiter.acquire("env", "a", NOW)).isZero();
    assertThat(limiter.acquire("env", "a", NOW + 1)).isEqualTo(AlertRateLimiter.NOT_NOW);
    assertThat(limiter.acquire("env", "a", NOW + 59_999)).isEqualTo(AlertRateLimiter.NOT_NOW);
    assertThat(limiter.acquire("env", "b", NOW + 59_999)).isZero();
    assertThat(limiter.acquire("env", "a", NOW + 60_000)).isEqualTo(2);
    assertThat(limiter.acquire("env", "a", NOW + 120_000)).isZero();
  }

  @Test
  void anEnvironmentHasALimitOfItsOwn() {
    AlertRateLimiter limiter = new AlertRateLimiter();
    for (int i = 0; i < AlertRateLimiter.PER_ENVIRONMENT_AND_MINUTE; i++) {
      assertThat(limiter.acquire("env", "s" + i, NOW)).isZero();
    }
    assertThat(limiter.acquire("env", "one more", NOW)).isEqualTo(AlertRateLimiter.NOT_NOW);
    assertThat(limiter.acquire("other", "one more", NOW)).isZero();
    assertThat(limiter.acquire("env", "one more", NOW + 60_000)).isEqualTo(1);
  }

  @Test
  void mentionsInTheTextAreEscaped() {
    Alert alert =
        new Alert(
            AlertKind.VERIFICATION_FAILURE, "app", "s", "<!channel> & @everyone", 2, NOW, Map.of());
    assertThat(text(AlertForm.SLACK, alert, "text"))
        .contains("&lt;!channel&gt; &amp;")
        .endsWith("(and 2 more)");
    assertThat(
            Json.MAPPER
                .readTree(AlertForm.DISCORD.body(alert))
                .at("/allowed_mentions/parse")
                .isEmpty())
        .isTrue();
    assertThat(text(AlertForm.GENERIC, alert, "alert")).isEqualTo("verification_failure");
  }

  @Test
  void anAlertAtDiscordIsAnEmbedWithinItsLimits() {
    Map<String, String> facts = new java.util.TreeMap<>();
    for (int i = 0; i < 40; i++) {
      facts.put("fact" + i, "\ud83d\ude00".repeat(2_000));
    }
    facts.put("empty", "");
    Alert alert =
        new Alert(AlertKind.DEAD_LETTER, "acme", "main", "x".repeat(9_000), 0, NOW, facts);
    JsonNode embed = Json.MAPPER.readTree(AlertForm.DISCORD.body(alert)).at("/embeds/0");
    assertThat(embed.get("title").asString()).isEqualTo("Dead letter");
    assertThat(embed.get("color").intValue()).isEqualTo(0xd93025);
    assertThat(embed.get("timestamp").asString()).contains("T").endsWith("Z");
    assertThat(embed.at("/fields/0/value").asString()).isEqualTo("acme");
    assertThat(embed.at("/fields/1/value").asString()).isEqualTo("main");
    int characters = embed.get("title").asString().length();
    characters += embed.get("description").asString().length();
    for (JsonNode field : embed.get("fields")) {
      assertThat(field.get("value").asString()).isNotBlank().hasSizeLessThanOrEqualTo(1_024);
      characters += field.get("name").asString().length() + field.get("value").asString().length();
    }
    assertThat(embed.get("fields")).hasSizeLessThanOrEqualTo(25);
    assertThat(characters).isLessThanOrEqualTo(6_000);
    Alert lag = new Alert(AlertKind.LAG, "acme", "main", "late", 0, NOW, Map.of());
    assertThat(Json.MAPPER.readTree(AlertForm.DISCORD.body(lag)).at("/embeds/0/color").intValue())
        .isEqualTo(0xf29900);
  }

  private static String text(AlertForm form, Alert alert, String field) {
    return Json.MAPPER.readTree(form.body(alert)).get(field).asString();
  }

  @ParameterizedTest
  @EnumSource(Databases.Kind.class)
  void aDeliveryThatWaitsTooLongIsLag(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      ManualTime time = new ManualTime();
      Fixture stores = new Fixture(database, time);
      Application application = stores.application("acme");
      Endpoint slow = stores.endpoint(application, EndpointSpec.of("https://slow.example"));
      Endpoint fine = stores.endpoint(application, EndpointSpec.of("https://fine.example"));
      Application alerts = stores.application(Alerts.APPLICATION);
      stores.endpoint(
          alerts, EndpointSpec.of("https://ops.example").with(CHANNELS, List.of("generic")));
      waiting(database, application, slow, time.nowMs() - 600_000);
      waiting(database, application, fine, time.nowMs() - 1_000);
      Lanes lanes = TestLanes.small(time);
      lanes.add(application.id().value(), slow.id().value(), time.nowMs() - 600_000);
      lanes.add(application.id().value(), fine.id().value(), time.nowMs() - 1_000);
      Signals signals = new Signals();
      FakeAcceptor acceptor = new FakeAcceptor(stores.applications, stores.ids);
      acceptor.after = signals::signal;
      try (Alerts watching =
          new Alerts(
              database,
              new RoutingCache(stores.routing),
              acceptor,
              lanes.book()::waitingSince,
              time,
              Duration.ofMinutes(5))) {
        watching.start();
        time.advance(Alerts.LAG_EVERY);
        signals.await("the lag is told", () -> acceptor.accepted.size() == 1);
        NewMessage told = acceptor.accepted.getFirst();
        assertThat(told.eventType()).isEqualTo("alert.lag");
        assertThat(told.channels()).containsExactly("generic");
        assertThat(Json.MAPPER.readTree(told.payload()).get("late_seconds").asInt()).isEqualTo(630);
      }
      assertThat(acceptor.accepted).hasSize(1);
    }
  }

  private static void waiting(
      Database database, Application application, Endpoint endpoint, long dueMs) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    StoredCodes.sql(
                        """
                        INSERT INTO deliveries (application_id, id, message_id, lane_id, status, next_attempt_at, created_at)
                        VALUES (:app, :id, :id, :lane, {PENDING}, :due, :due)
                        """))
                .bind("app", application.id())
                .bind("id", new Id(endpoint.id().value().hi(), 1))
                .bind("lane", endpoint.id())
                .bind("due", dueMs)
                .execute());
  }
}
