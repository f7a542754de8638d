package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.Receiver;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** CloudEvents attributes and chosen headers, from the request that came in to what goes out. */
@Timeout(120)
class ForwardedHeadersTest {
  @TempDir Path folder;

  private static final String[] EVENT = {
    "Content-Type", "application/json",
    "ce-id", "e-1",
    "ce-source", "/shop",
    "ce-type", "order.paid",
    "ce-specversion", "1.0",
    "X-Kind", "the kind",
    "X-Other", "not wanted",
    "X-Api-Token", "s3cret"
  };

  private static void assertForwarded(Receiver.Request got) {
    assertThat(got.header("ce-id")).isEqualTo("e-1");
    assertThat(got.header("ce-source")).isEqualTo("/shop");
    assertThat(got.header("ce-type")).isEqualTo("order.paid");
    assertThat(got.header("x-kind")).isEqualTo("the kind");
    assertThat(got.header("x-other")).isEmpty();
    assertThat(got.header("x-api-token")).as("secrets are never stored").isEmpty();
    assertThat(got.header("content-type")).isEqualTo("application/json");
  }

  @ParameterizedTest
  @EnumSource
  void areSentWithRetriesToo(Databases.Kind kind) {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder);
        Receiver receiver = new Receiver()) {
      App app = gateway.start("RETRY_SCHEDULE=10ms,10ms");
      gateway.api(201, app, "POST", "/source", "{\"name\":\"shop\",\"verify\":\"none\"}");
      String endpoint =
          gateway
              .api(
                  201,
                  app,
                  "POST",
                  "/app/shop/endpoint",
                  "{\"url\":\""
                      + receiver.url("/hook")
                      + "\",\"forwardHeaders\":[\"X-Kind\",\"ce-*\",\"x-api-token\"]}")
              .text("/id");
      receiver.behave(_ -> Receiver.Answer.of(receiver.count() < 2 ? 500 : 200));
      gateway.in(app, "shop", "{\"n\":1}", EVENT);
      receiver.await(2).forEach(ForwardedHeadersTest::assertForwarded);
      assertThat(receiver.requests().getFirst().text()).isEqualTo("{\"n\":1}");

      // a route makes another body, and the endpoint's own header wins
      gateway.api(
          201,
          app,
          "POST",
          "/app/shop/route",
          "{\"eventType\":\"*\",\"agentIntent\":\"look\",\"targetSession\":\"s-1\"}");
      receiver.behave(_ -> Receiver.Answer.of(receiver.count() < 4 ? 500 : 200));
      String[] second = EVENT.clone();
      second[3] = "e-2";
      gateway.in(app, "shop", "{\"n\":2}", second);
      receiver
          .await(4)
          .subList(2, 4)
          .forEach(got -> assertThat(got.header("ce-id")).isEqualTo("e-2"));
      assertThat(receiver.requests().getLast().text()).contains("\"agent_intent\":\"look\"");

      gateway.api(200, app, "PATCH", "/app/shop/endpoint/" + endpoint, "{\"forwardHeaders\":[]}");
      second[3] = "e-3";
      gateway.in(app, "shop", "{\"n\":3}", second);
      Receiver.Request unasked = receiver.await(5).get(4);
      assertThat(unasked.header("ce-id")).as("goes along in any case").isEqualTo("e-3");
      assertThat(unasked.header("x-kind")).isEmpty();
      gateway.api(
          422,
          app,
          "PATCH",
          "/app/shop/endpoint/" + endpoint,
          "{\"forwardHeaders\":[\"webhook-id\"]}");
    }
  }

  /** Without a route, an expression or a header that the endpoint names. */
  @ParameterizedTest
  @EnumSource
  void attributesOfAnEventAlwaysGoAlong(Databases.Kind kind) {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder);
        Receiver receiver = new Receiver()) {
      App app = gateway.start("RETRY_SCHEDULE=10ms,10ms");
      gateway.api(201, app, "POST", "/source", "{\"name\":\"shop\",\"verify\":\"none\"}");
      gateway.api(
          201, app, "POST", "/app/shop/endpoint", "{\"url\":\"" + receiver.url("/hook") + "\"}");
      // the second attempt is claimed from the table, the first was leased at insert
      receiver.behave(_ -> Receiver.Answer.of(receiver.count() < 2 ? 500 : 200));
      String[] event = EVENT.clone();
      event[5] = "/shop%20%E2%82%AC";
      gateway.in(app, "shop", "{\"n\":1}", event);
      for (Receiver.Request got : receiver.await(2)) {
        assertThat(got.header("ce-id")).isEqualTo("e-1");
        assertThat(got.header("ce-source")).as("as it came").isEqualTo("/shop%20%E2%82%AC");
        assertThat(got.header("ce-type")).isEqualTo("order.paid");
        assertThat(got.header("ce-specversion")).isEqualTo("1.0");
        assertThat(got.header("x-kind")).isEmpty();
        assertThat(got.text()).isEqualTo("{\"n\":1}");
      }
    }
  }

  /** A handler of several GitHub events has to tell them apart. */
  @ParameterizedTest
  @EnumSource
  void headersOfTheProviderGoAlongButNoSignature(Databases.Kind kind) {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder);
        Receiver receiver = new Receiver()) {
      App app = gateway.start("RETRY_SCHEDULE=10ms,10ms");
      gateway.api(
          201,
          app,
          "POST",
          "/source",
          "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
      gateway.api(
          201,
          app,
          "POST",
          "/app/github/endpoint",
          "{\"uid\":\"ci\",\"url\":\"" + receiver.url("/hook") + "\"}");
      receiver.behave(_ -> Receiver.Answer.of(receiver.count() < 2 ? 500 : 200));
      gateway.in(
          app,
          "github",
          "{\"action\":\"opened\"}",
          "Content-Type",
          "application/json",
          "X-GitHub-Event",
          "pull_request",
          "X-GitHub-Delivery",
          "d-1",
          "X-Other",
          "not wanted",
          "X-Hub-Signature-256",
          "sha256=" + GatewayFixture.hmac("s3cret", "{\"action\":\"opened\"}"));
      int attempt = 0;
      for (Receiver.Request got : receiver.await(2)) {
        attempt++;
        assertThat(got.header("x-github-event")).isEqualTo("pull_request");
        assertThat(got.header("x-github-delivery")).isEqualTo("d-1");
        assertThat(got.header("x-hub-signature-256")).as("only if it is asked for").isEmpty();
        assertThat(got.header("x-other")).isEmpty();
        assertThat(got.header("postrider-event-type")).isEqualTo("pull_request.opened");
        assertThat(got.header("postrider-endpoint")).isEqualTo("ci");
        assertThat(got.header("postrider-event-id")).isEqualTo(got.header("webhook-id"));
        assertThat(got.header("postrider-attempt")).isEqualTo(Integer.toString(attempt));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void canBeChosenInTheFile(Databases.Kind kind) throws Exception {
    try (GatewayFixture gateway = new GatewayFixture(kind, folder);
        Receiver receiver = new Receiver()) {
      Path file = folder.resolve("postrider.yaml");
      Files.writeString(
          file,
          """
          sources: { shop: { verify: none } }
          handlers: { hook: { source: shop, url: "%s", forward_headers: [x-kind, "ce-*"] } }
          """
              .formatted(receiver.url("/hook")));
      App app = gateway.start("CONFIG=" + file);
      gateway.in(app, "shop", "{}", EVENT);
      assertForwarded(receiver.await(1).getFirst());
    }
  }
}
