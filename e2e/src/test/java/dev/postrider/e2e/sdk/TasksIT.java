package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.svix.models.AppUsageStatsIn;
import com.svix.models.BackgroundTaskStatus;
import com.svix.models.BulkReplayIn;
import com.svix.models.RecoverIn;
import com.svix.models.ReplayIn;
import dev.postrider.e2e.sdk.SdkEnvironment.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Background tasks that the official Java client starts and reads. */
@Timeout(120)
@OnEachDatabase
final class TasksIT extends SdkBehaviour {
  private static OffsetDateTime anHourAgo() {
    return OffsetDateTime.now(ZoneOffset.UTC).minusHours(1);
  }

  private static String since() {
    return "{\"since\":\"" + anHourAgo() + "\"}";
  }

  private void endpoint(String uid, String more) {
    String url = environment.receiver.url("/" + uid);
    String body = "{\"uid\":\"%s\",\"url\":\"%s\"%s}".formatted(uid, url, more);
    environment.ok("POST", "/app/acme/endpoint", body);
  }

  private void send(String type, String more) {
    String body = "{\"eventType\":\"%s\",\"payload\":{\"n\":1}%s}".formatted(type, more);
    environment.ok("POST", "/app/acme/msg", body);
  }

  private int deliveries(String status) {
    return environment.ok("GET", "/app/acme/delivery?status=" + status, null).get("data").size();
  }

  private Answer finished(String task) {
    String path = "/background-task/" + task;
    Signals.poll(
        "task " + task + " ends",
        () -> !environment.expect(200, "GET", path, null).text("/status").equals("running"));
    return environment.expect(200, "GET", path, null);
  }

  @Test
  void whatAnEndpointDidNotGetIsRecovered() throws Exception {
    environment.ok("POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    environment.receiver.behave(_ -> Receiver.Answer.of(400));
    endpoint("one", ",\"retryPolicy\":\"1ms\"");
    send("a.b", "");
    send("a.b", "");
    Signals.poll("both are given up", () -> deliveries("dead_letter") == 2);
    environment.receiver.behave(_ -> Receiver.Answer.of(200));
    String task =
        svix.getEndpoint().recover("acme", "one", new RecoverIn().since(anHourAgo())).getId();
    Answer done = finished(task);
    assertThat(done.text("/status")).isEqualTo("finished");
    assertThat(done.number("/data/messagesSent")).isEqualTo(2);
    assertThat(svix.getBackgroundTask().get(task).getStatus())
        .isEqualTo(BackgroundTaskStatus.FINISHED);
    assertThat(svix.getBackgroundTask().list().getData()).hasSize(1);
    Signals.poll("both are delivered", () -> deliveries("delivered") == 2);
    Answer none = environment.expect(202, "POST", "/app/acme/endpoint/one/redrive", since());
    assertThat(finished(none.text("/id")).number("/data/messagesSent")).isZero();
    assertThat(svix.getBackgroundTask().list().getData()).hasSize(2);
    assertThat(
            environment
                .expect(200, "GET", "/background-task?status=running&task=endpoint.recover", null)
                .json()
                .get("data")
                .isEmpty())
        .isTrue();
    assertThat(environment.call("GET", "/background-task/qtask_x", null).status()).isEqualTo(404);
    assertThat(environment.call("GET", "/background-task?task=what", null).text("/detail/0/loc/1"))
        .isEqualTo("task");
  }

  /** An agent's new endpoint gets older messages as it gets those that come. */
  @Test
  void aReplayTakesTheAgentRouteOfItsEndpoint() throws Exception {
    environment.ok("POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    send("a.b", "");
    String route =
        "{\"eventType\":\"a.b\",\"agentIntent\":\"look\",\"url\":\"%s\"}"
            .formatted(environment.receiver.url("/agent"));
    Answer made = environment.expect(201, "POST", "/app/acme/route", route);
    endpoint("plain", "");
    for (String name : List.of(made.text("/endpoint"), "plain")) {
      String task =
          svix.getEndpoint().replayMissing("acme", name, new ReplayIn().since(anHourAgo())).getId();
      assertThat(finished(task).number("/data/messagesSent")).isEqualTo(1);
    }
    environment.receiver.await(2);
    assertThat(environment.receiver.requests(request -> request.path().equals("/agent")))
        .singleElement()
        .satisfies(request -> assertThat(request.text()).contains("\"agent_intent\":\"look\""));
    assertThat(environment.receiver.requests(request -> !request.path().equals("/agent")))
        .singleElement()
        .satisfies(request -> assertThat(request.text()).doesNotContain("agent_intent"));
    Answer deliveries =
        environment.expect(
            200, "GET", "/app/acme/delivery?endpoint_id=" + made.text("/endpoint"), null);
    assertThat(deliveries.text("/data/0/routeId")).isEqualTo(made.text("/id"));
  }

  @Test
  void replaysWhatIsMissingAndWhatWasSent() throws Exception {
    environment.ok("POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    send("a.b", "");
    send("x.y", "");
    endpoint("late", ",\"eventTypes\":[\"a.*\"]");
    send("a.c", ",\"tags\":[\"red\"]");
    environment.receiver.await(1);
    String missing =
        svix.getEndpoint().replayMissing("acme", "late", new ReplayIn().since(anHourAgo())).getId();
    Answer done = finished(missing);
    assertThat(done.text("/task")).isEqualTo("endpoint.replay");
    assertThat(done.number("/data/messagesSent")).as("x.y is not for it").isEqualTo(1);
    environment.receiver.await(2);
    Signals.poll("both are recorded", () -> deliveries("delivered") == 2);
    String again =
        svix.getEndpoint().replayMissing("acme", "late", new ReplayIn().since(anHourAgo())).getId();
    assertThat(finished(again).number("/data/messagesSent")).isZero();
    String all =
        svix.getEndpoint()
            .bulkReplay("acme", "late", new BulkReplayIn().since(anHourAgo()))
            .getId();
    assertThat(finished(all).number("/data/messagesSent")).isEqualTo(2);
    environment.receiver.await(4);
    String tagged =
        svix.getEndpoint()
            .bulkReplay("acme", "late", new BulkReplayIn().since(anHourAgo()).tag("red"))
            .getId();
    assertThat(finished(tagged).number("/data/messagesSent")).isEqualTo(1);
    environment.receiver.await(5);
    String typed =
        svix.getEndpoint()
            .bulkReplay(
                "acme", "late", new BulkReplayIn().since(anHourAgo()).eventTypes(Set.of("q")))
            .getId();
    assertThat(finished(typed).number("/data/messagesSent")).isZero();
    String body = since().replace("}", ",\"statusCodeClass\":500,\"status\":0}");
    String coded =
        environment.expect(202, "POST", "/app/acme/endpoint/late/bulk-replay", body).text("/id");
    assertThat(finished(coded).number("/data/messagesSent")).isZero();
    assertThat(environment.receiver.requests()).hasSize(5);
    environment.expect(200, "PATCH", "/app/acme/endpoint/late", "{\"disabled\":true}");
    assertThat(
            environment
                .call("POST", "/app/acme/endpoint/late/replay-missing", since())
                .text("/code"))
        .isEqualTo("endpoint_disabled");
  }

  @Test
  void applicationsAreCountedAndBroadcastTo() throws Exception {
    environment.ok("POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    endpoint("all", "");
    environment.expect(201, "POST", "/app", "{\"name\":\"Two\",\"uid\":\"two\"}");
    environment.expect(201, "POST", "/app", "{\"name\":\"Off\",\"uid\":\"off\",\"active\":false}");
    String broadcast =
        environment
            .expect(
                202,
                "POST",
                "/msg/broadcast",
                "{\"eventType\":\"news\",\"payload\":{\"v\":7},\"eventId\":\"n-1\"}")
            .text("/id");
    Answer done = finished(broadcast);
    assertThat(done.json().at("/data/messagesCreated")).hasSize(2);
    assertThat(environment.receiver.await(1).getFirst().text()).isEqualTo("{\"v\":7}");
    assertThat(
            environment
                .expect(200, "GET", "/app/two/msg/n-1", null)
                .json()
                .at("/payload/v")
                .asInt())
        .isEqualTo(7);
    Signals.poll(
        "the try is counted",
        () ->
            environment.expect(200, "GET", "/app/acme/statistics", null).number("/attempts") == 1);
    var usage =
        svix.getStatistics()
            .aggregateAppStats(
                new AppUsageStatsIn()
                    .since(anHourAgo())
                    .until(OffsetDateTime.now(ZoneOffset.UTC).plusMinutes(1))
                    .appIds(Set.of("acme", "nobody")));
    assertThat(usage.getUnresolvedAppIds()).containsExactly("nobody");
    Answer counted = finished(usage.getId());
    assertThat(counted.json().at("/data/appStats")).hasSize(1);
    assertThat(counted.text("/data/appStats/0/appUid")).isEqualTo("acme");
    assertThat(counted.number("/data/appStats/0/messageDestinations")).isEqualTo(1);
    String types = environment.expect(202, "PUT", "/stats/usage/event-types", null).text("/id");
    Answer aggregated = finished(types);
    assertThat(aggregated.json().at("/data/event_types")).hasSize(3);
    assertThat(aggregated.json().at("/data/event_types/0/hasCatchAllEndpoint").asBoolean())
        .isTrue();
  }
}
