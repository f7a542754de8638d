package dev.postrider.api.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.databind.JsonNode;

/** The list of deliveries over all applications of an environment. */
@Timeout(120)
@OnEachDatabase
final class EnvironmentDeliveriesTest {
  private static final String MESSAGE = "{\"eventType\":\"a.b\",\"payload\":{\"n\":1}}";

  @Parameter Databases.Kind kind;

  @TempDir Path folder;
  private final Receiver receiver = new Receiver();
  private Apps apps;
  private App app;

  @BeforeEach
  void start() {
    receiver.behave(request -> Receiver.Answer.of(request.path().equals("/good") ? 200 : 500));
    apps = new Apps(kind, folder);
    app = apps.start("RETRY_SCHEDULE=1h");
  }

  @AfterEach
  void close() {
    apps.close();
    receiver.close();
  }

  private Apps.Answer get(String path) {
    return apps.expect(app, 200, "GET", path, "");
  }

  private void application(String uid) {
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"%s\",\"uid\":\"%s\"}".formatted(uid, uid));
  }

  /** Returns its id. */
  private String endpoint(String application, String uid, String path, String more) {
    return apps.expect(
            app,
            201,
            "POST",
            "/app/" + application + "/endpoint",
            "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, receiver.url(path), more))
        .text("/id");
  }

  private void send(String application) {
    apps.expect(app, 202, "POST", "/app/" + application + "/msg", MESSAGE);
  }

  private static List<String> each(Apps.Answer page, String pointer) {
    return page.json().get("data").valueStream().map(item -> item.at(pointer).asString()).toList();
  }

  private void until(String path, String pointer, String... values) {
    apps.await(
        path + " lists " + List.of(values), () -> each(get(path), pointer).equals(List.of(values)));
  }

  private String key(String application, String role) {
    return apps.expect(
            app,
            201,
            "POST",
            "/auth/api-key",
            "{\"name\":\"k\",\"applicationId\":\"%s\",\"role\":\"%s\"}"
                .formatted(application, role))
        .text("/token");
  }

  /** One dead letter of one, a retry of two, and deliveries that succeeded. */
  private void fill() {
    application("one");
    application("two");
    endpoint("one", "bad", "/bad", ",\"retryPolicy\":\"\"");
    endpoint("one", "good", "/good", "");
    endpoint("two", "bad", "/bad", "");
    endpoint("two", "good", "/good", "");
    send("one");
    until("/delivery", "/status", "dead_letter");
    send("two");
    until("/delivery", "/status", "failed", "dead_letter");
  }

  @Test
  void deliveriesOfAllApplicationsThatWaitOrAreDeadAreListed() {
    fill();
    Apps.Answer page = get("/delivery");
    assertThat(each(page, "/applicationUid")).containsExactly("two", "one");
    JsonNode dead = page.json().at("/data/1");
    assertThat(dead.get("applicationId").asString()).startsWith("app_");
    assertThat(dead.get("url").asString()).isEqualTo(receiver.url("/bad"));
    assertThat(dead.get("queue").isNull()).isTrue();
    assertThat(dead.get("lastError").asString()).isEqualTo("the response had the status 500");
    assertThat(dead.at("/lastAttempt/statusCode").asInt()).isEqualTo(500);
    assertThat(dead.at("/lastAttempt/outcome").asString()).isEqualTo("http");
    assertThat(dead.at("/lastAttempt/timestamp").asString()).endsWith("Z");
    assertThat(page.json().get("done").asBoolean()).isTrue();

    assertThat(each(get("/delivery?status=dead_letter"), "/applicationUid")).containsExactly("one");
    assertThat(each(get("/delivery?status=failed"), "/applicationUid")).containsExactly("two");
    assertThat(each(get("/delivery?status=pending"), "/id")).isEmpty();
    assertThat(each(get("/delivery?before=2020-01-01T00:00:00Z"), "/id")).isEmpty();
    assertThat(each(get("/delivery?after=2020-01-01T00:00:00Z"), "/id")).hasSize(2);

    String id = dead.get("id").asString();
    apps.expect(app, 202, "POST", "/app/one/delivery/" + id + "/retry", "");
    until("/delivery?status=dead_letter&application=one", "/attempts", "2");
  }

  @Test
  void anApplicationOrAnEndpointNarrowsTheListToItsApplication() {
    fill();
    assertThat(each(get("/delivery?application=one"), "/status"))
        .containsExactlyInAnyOrder("dead_letter", "delivered");
    assertThat(each(get("/delivery?application=one&status=delivered"), "/lastError"))
        .containsExactly("");
    String endpoint = get("/app/one/endpoint/bad").text("/id");
    assertThat(each(get("/delivery?endpoint_id=" + endpoint), "/status"))
        .containsExactly("dead_letter");
    assertThat(each(get("/delivery?application=one&endpoint_id=bad"), "/endpointId"))
        .containsExactly(endpoint);
    assertThat(apps.call(app, "GET", "/delivery?application=two&endpoint_id=" + endpoint, ""))
        .extracting(Apps.Answer::status)
        .isEqualTo(404);
  }

  @Test
  void pagesContinueWhereTheLastOneEnded() {
    fill();
    for (int i = 0; i < 3; i++) {
      send(i % 2 == 0 ? "one" : "two");
    }
    apps.await("five are listed", () -> each(get("/delivery"), "/id").size() == 5);
    List<String> all = each(get("/delivery"), "/id");
    List<String> seen = new ArrayList<>();
    Apps.Answer page = get("/delivery?limit=2");
    seen.addAll(each(page, "/id"));
    while (!page.json().get("done").asBoolean()) {
      page = get("/delivery?limit=2&iterator=" + page.text("/iterator"));
      seen.addAll(each(page, "/id"));
    }
    assertThat(seen).isEqualTo(all).isSortedAccordingTo((a, b) -> b.compareTo(a));
    Apps.Answer back = get("/delivery?limit=2&iterator=" + page.text("/prevIterator"));
    assertThat(each(back, "/id")).isEqualTo(all.subList(2, 4));
  }

  @Test
  void anotherEnvironmentAndAnotherApplicationSeeNothingOfIt() {
    fill();
    String environment =
        apps.expect(app, 201, "POST", "/environments", "{\"name\":\"staging\"}").text("/id");
    String staging =
        apps.expect(
                app, 201, "POST", "/environments/" + environment + "/api-key", "{\"name\":\"s\"}")
            .text("/token");
    String dead = get("/app/one/endpoint/bad").text("/id");
    assertThat(each(as(staging, 200, "/delivery"), "/id")).isEmpty();
    as(staging, 404, "/delivery?application=one");
    as(staging, 404, "/delivery?endpoint_id=" + dead);

    String two = key("two", "full");
    assertThat(each(as(two, 200, "/delivery"), "/applicationUid")).containsOnly("two");
    assertThat(each(as(two, 200, "/delivery?status=dead_letter"), "/id")).isEmpty();
    as(two, 404, "/delivery?application=one");
    as(two, 404, "/delivery?endpoint_id=" + dead);
    String portal =
        apps.expect(
                app,
                200,
                "POST",
                "/auth/app-portal-access/two",
                "{\"capabilities\":[\"ViewBase\"]}")
            .text("/token");
    assertThat(each(as(portal, 200, "/delivery"), "/applicationUid")).containsOnly("two");
    as(portal, 404, "/delivery?application=one");

    apps.expect(app, 204, "DELETE", "/app/one", "");
    assertThat(each(get("/delivery"), "/applicationUid")).containsExactly("two");
  }

  private Apps.Answer as(String token, int status, String path) {
    Apps.Answer answer = apps.callAs(app, token, "GET", path, "");
    assertThat(answer.status()).as(path).isEqualTo(status);
    return answer;
  }

  @Test
  void sessionsAreFoundInAllApplications() {
    for (String uid : List.of("one", "two")) {
      application(uid);
      endpoint(uid, "bad", "/bad", ",\"retryPolicy\":\"\"");
      endpoint(uid, "good", "/good", "");
      for (String session : List.of("s-1", "s-2")) {
        apps.expect(
            app,
            201,
            "POST",
            "/app/" + uid + "/route",
            "{\"eventType\":\"%s\",\"agentIntent\":\"look\",\"targetSession\":\"%s\"}"
                .formatted(session, session));
        apps.expect(
            app,
            202,
            "POST",
            "/app/" + uid + "/msg",
            "{\"eventType\":\"%s\",\"payload\":{}}".formatted(session));
      }
    }
    until("/delivery?session_id=s-1&status=dead_letter", "/applicationUid", "two", "one");
    apps.await(
        "both are delivered",
        () -> each(get("/delivery?session_id=s-1&status=delivered"), "/id").size() == 2);
    assertThat(each(get("/delivery?session_id=s-1"), "/sessionId")).hasSize(4).containsOnly("s-1");
    assertThat(each(get("/delivery?session_id=s-3"), "/id")).isEmpty();
    assertThat(each(get("/delivery?session_id=s-1&application=two"), "/applicationUid"))
        .hasSize(2)
        .containsOnly("two");
  }

  @Test
  void waitingDeliveriesAndDeadLettersAreCounted() {
    fill();
    assertThat(get("/delivery/count").json().toString())
        .isEqualTo("{\"waiting\":1,\"deadLetters\":1,\"approximated\":false}");
    assertThat(get("/delivery/count?application=one").json().toString())
        .isEqualTo("{\"waiting\":0,\"deadLetters\":1,\"approximated\":false}");
    String two = key("two", "read_only");
    assertThat(as(two, 200, "/delivery/count").json().toString())
        .isEqualTo("{\"waiting\":1,\"deadLetters\":0,\"approximated\":false}");
    as(two, 404, "/delivery/count?application=one");
    String environment =
        apps.expect(app, 201, "POST", "/environments", "{\"name\":\"staging\"}").text("/id");
    String staging =
        apps.expect(
                app, 201, "POST", "/environments/" + environment + "/api-key", "{\"name\":\"s\"}")
            .text("/token");
    assertThat(as(staging, 200, "/delivery/count").json().toString())
        .isEqualTo("{\"waiting\":0,\"deadLetters\":0,\"approximated\":false}");
  }

  @Test
  void statusesWithoutAListOverAllApplicationsAreRefused() {
    for (String status : List.of("delivered", "sending", "canceled")) {
      Apps.Answer refused = apps.call(app, "GET", "/delivery?status=" + status, "");
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.text("/detail/0/msg"))
          .contains("application, endpoint_id or session_id", status);
    }
    assertThat(apps.call(app, "GET", "/delivery?endpoint_id=main", "").text("/detail/0/msg"))
        .contains("add application");
  }

  @Test
  void urlsOfAlertsAreMaskedForReadOnlyKeys() {
    String alert =
        "{\"type\":\"generic\",\"url\":\"%s\"}".formatted(receiver.url("/bad/secret-path"));
    apps.expect(app, 201, "PUT", "/alert/ops", alert);
    application("one");
    endpoint("one", "bad", "/bad", ",\"retryPolicy\":\"\"");
    send("one");
    apps.await(
        "the alert waits for its retry",
        () ->
            each(get("/delivery?status=failed"), "/url")
                .contains(receiver.url("/bad/secret-path")));
    String reader =
        apps.expect(app, 201, "POST", "/auth/api-key", "{\"name\":\"r\",\"role\":\"read_only\"}")
            .text("/token");
    assertThat(as(reader, 200, "/delivery").json().toString())
        .contains("/***")
        .doesNotContain("secret-path");
  }
}
