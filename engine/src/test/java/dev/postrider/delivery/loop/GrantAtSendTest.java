package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.endpoint.EndpointFields.MAX_IN_FLIGHT;
import static dev.postrider.endpoint.EndpointFields.TIMEOUT_MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.Grant;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an endpoint stored within a grant is lowered when the grant is. */
class GrantAtSendTest extends EngineBehaviour {
  private static void grant(TestEngine engine, Grant grant) {
    assertThat(
            Engines.applications(engine)
                .update(
                    Environment.DEFAULT_ID, "acme", spec -> spec.with(spec.settings().with(grant))))
        .isNotNull();
  }

  @ParameterizedTest
  @EnumSource
  void requestsAtOnce(Databases.Kind kind) {
    receiver.behave(request -> request.path().equals("/hung") ? hang() : Receiver.Answer.of(200));
    TestEngine engine = start(kind, "APPLICATION_SHARE=1");
    Application application = engines.application(engine, "acme");
    grant(engine, new Grant(500, null, false));
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/hung")).with(MAX_IN_FLIGHT, 500));
    Endpoint good = engines.endpoint(engine, application, receiver.url("/good"));
    // A lane of which nothing is known has 16 tries at once.
    sendMany(engine, application, 12);
    receiver.await(12, request -> request.path().equals("/hung"));

    grant(engine, new Grant(14, null, false));
    sendMany(engine, application, 100);

    receiver.await(14, request -> request.path().equals("/hung"));
    receiver.await(112, request -> request.path().equals("/good"));
    await(
        "all others are delivered",
        () -> deliveriesTo(engine, good).stream().allMatch(row -> row.status() == DELIVERED));
    assertThat(receiver.requests(request -> request.path().equals("/hung"))).hasSize(14);
  }

  @ParameterizedTest
  @EnumSource
  void timeOfARequest(Databases.Kind kind) {
    receiver.behave(request -> request.text().contains("hang") ? hang() : Receiver.Answer.of(200));
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    grant(engine, new Grant(null, 60_000, false));
    engines.endpoint(
        engine, application, EndpointSpec.of(receiver.url("/")).with(TIMEOUT_MS, 60_000));
    Engines.send(engine, application, "{\"n\":1}");
    receiver.await(1);

    grant(engine, new Grant(null, 1_000, false));
    Engines.send(engine, application, "\"hang\"");

    await(
        "the try is recorded",
        () ->
            Engines.number(engine, "SELECT count(*) FROM attempts WHERE status_code IS NULL") > 0);
    assertThat(
            Engines.number(
                engine, "SELECT max(latency_ms) FROM attempts WHERE status_code IS NULL"))
        .as("far below the 30 s that the receiver takes, and the 60 s that are stored")
        .isBetween(900L, 14_000L);
  }
}
