package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.json.Times;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Deliveries show how a source verified their message, and are listed by it. */
@Timeout(120)
@OnEachDatabase
final class DeliverySignatureTest extends GatewayBehaviour {
  private static final String UNSIGNED = "{\"session\":\"s-2\"}";
  private static final String SIGNED = "{\"session\":\"s-1\"}";

  private final Receiver receiver = new Receiver();
  private App app;

  @BeforeEach
  void start() {
    app = gateway.start("RETRY_SCHEDULE=1h");
    github(app);
    gateway.api(201, app, "POST", "/source", "{\"name\":\"open\",\"verify\":\"none\"}");
    gateway.api(201, app, "POST", "/app", "{\"name\":\"acme\",\"uid\":\"acme\"}");
    for (String uid : List.of("github", "open", "acme")) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/" + uid + "/endpoint",
          "{\"uid\":\"main\",\"url\":\"%s\"}".formatted(receiver.url("/" + uid)));
    }
    for (String uid : List.of("github", "open")) {
      gateway.api(
          201,
          app,
          "POST",
          "/app/" + uid + "/route",
          "{\"eventType\":\"*\",\"agentIntent\":\"look\",\"targetSession\":\"t\",\"sessionExpression\":\"payload.session\"}");
    }
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/open") ? 500 : 200));
  }

  @AfterEach
  void stop() {
    receiver.close();
  }

  private void fill() {
    gateway.github(app, "github", "s3cret", "d-1", SIGNED);
    gateway.in(app, "open", UNSIGNED, "Content-Type", "application/json");
    gateway.in(app, "open", SIGNED, "Content-Type", "application/json");
    String event = "{\"eventType\":\"a.b\",\"payload\":{\":signature\":\"valid\"}}";
    gateway.api(202, app, "POST", "/app/acme/msg", event);
    receiver.await(4);
    await("they are recorded", () -> list("/delivery?status=failed").size() == 2);
    for (String uid : List.of("github", "acme")) {
      await(
          "it is delivered", () -> list("/app/" + uid + "/delivery?status=delivered").size() == 1);
    }
  }

  /** Session and signature of the deliveries of a list. */
  private List<String> list(String path) {
    return gateway
        .api(200, app, "GET", path, "")
        .json()
        .get("data")
        .valueStream()
        .map(row -> row.path("sessionId").asString("-") + " " + row.path("signature").asString("-"))
        .toList();
  }

  @Test
  void sessionAndSignatureAreInOneRow() {
    fill();
    assertThat(list("/app/github/delivery")).containsExactly("s-1 valid");
    assertThat(list("/app/open/delivery")).containsExactly("s-1 not_asked", "s-2 not_asked");
    assertThat(list("/app/acme/delivery")).containsExactly("- -");
    String id = gateway.api(200, app, "GET", "/app/github/delivery", "").text("/data/0/id");
    assertThat(gateway.api(200, app, "GET", "/app/github/delivery/" + id, "").text("/signature"))
        .isEqualTo("valid");
  }

  @Test
  void listsBySessionDateAndSignature() {
    fill();
    assertThat(list("/app/github/delivery?signature=valid")).containsExactly("s-1 valid");
    assertThat(list("/app/github/delivery?signature=not_asked")).isEmpty();
    assertThat(list("/app/acme/delivery?signature=valid")).isEmpty();
    assertThat(list("/app/open/delivery?signature=not_asked&session_id=s-2"))
        .containsExactly("s-2 not_asked");
    assertThat(list("/app/open/delivery?signature=not_asked&event_types=no.such")).isEmpty();
    assertThat(list("/delivery?session_id=s-1")).containsExactly("s-1 not_asked", "s-1 valid");
    assertThat(list("/delivery?session_id=s-1&signature=valid")).containsExactly("s-1 valid");
    assertThat(list("/delivery?signature=not_asked"))
        .containsExactly("s-1 not_asked", "s-2 not_asked");
    assertThat(list("/delivery?signature=not_asked&status=failed")).hasSize(2);
    assertThat(list("/delivery?signature=valid")).as("nothing of it waits").isEmpty();
    long now = TestEngine.of(app.engine()).time().nowMs();
    String before = "&before=" + Times.text(now - 3_600_000);
    String after = "&after=" + Times.text(now - 3_600_000);
    assertThat(list("/delivery?session_id=s-1&signature=valid" + before)).isEmpty();
    assertThat(list("/delivery?session_id=s-1&signature=valid" + after)).hasSize(1);
    assertThat(list("/app/open/delivery?signature=not_asked" + before)).isEmpty();
    gateway.api(422, app, "GET", "/delivery?signature=good", "");
    gateway.api(422, app, "GET", "/app/open/delivery?signature=good", "");
  }
}
