package dev.postrider.endpoint;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.MessageId;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code profile: agent} on a handler, by file and by API, without any route. */
@Timeout(120)
final class AgentHandlerTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void theFirstAttemptIsHalfAMinuteAfterAcceptance(Databases.Kind kind) {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder);
        Receiver receiver = new Receiver()) {
      receiver.behave(_ -> Receiver.Answer.of(500));
      App app = gateway.start();
      gateway.api(
          200,
          app,
          "POST",
          "/configuration/apply",
          """
          {"sources": {"github": {"verify": "none"}},
           "handlers": {"agent": {"source": "github", "url": "%s", "profile": "agent"}}}
          """
              .formatted(receiver.url("/file")));
      gateway.api(
          201,
          app,
          "POST",
          "/app/github/endpoint",
          "{\"url\":\"" + receiver.url("/api") + "\",\"profile\":\"agent\"}");
      Id message =
          requireNonNull(Id.parse(IdKind.MESSAGE, gateway.in(app, "github", "{}").text("/id")));
      Id application =
          requireNonNull(
              Id.parse(
                  IdKind.APPLICATION, gateway.api(200, app, "GET", "/app/github", "").text("/id")));
      DeliveryReader reader = new DeliveryReader(TestEngine.of(app.engine()).database());

      assertThat(reader.ofMessage(new ApplicationId(application), new MessageId(message)))
          .hasSize(2)
          .allSatisfy(
              row -> {
                assertThat(row.status()).isEqualTo(DeliveryStatus.PENDING);
                assertThat(row.attempts()).isZero();
                assertThat(row.nextAttemptAtMs()).isEqualTo(row.createdAtMs() + 30_000);
                assertThat(row.routeId()).isNull();
              });

      assertThat(gateway.api(200, app, "GET", "/app/github/endpoint", "").json().get("data"))
          .hasSize(2)
          .allSatisfy(
              handler ->
                  assertThat(handler.get("retryPolicy").asString()).isEqualTo("30s,2m,10m,1h,6h"));
      // "retry now" does not wait for it, and the next try is by the schedule
      for (DeliveryView row :
          reader.ofMessage(new ApplicationId(application), new MessageId(message))) {
        gateway.api(
            202,
            app,
            "POST",
            "/app/github/delivery/" + row.id().text(IdKind.DELIVERY) + "/retry",
            "");
      }
      receiver.await(2);
      gateway.await(
          "both tries are recorded",
          () ->
              reader.ofMessage(new ApplicationId(application), new MessageId(message)).stream()
                  .allMatch(row -> row.status() == DeliveryStatus.FAILED && row.attempts() == 1));
    }
  }
}
